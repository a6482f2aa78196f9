/* The bytes of the bundled page between two symbols: sim/cli/report_assets.cpp. */
    .section .rodata
    .global tilescope_report_page
    .global tilescope_report_page_end
tilescope_report_page:
    .incbin TILESCOPE_REPORT_PAGE
tilescope_report_page_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
