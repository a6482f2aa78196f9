# Listings cut into short ones (sass_listing_fuzz.cpp says what those are) of 16 instructions: the pieces that hold a combination of
# an operation and its modifiers not seen before. Branches go to the ninth instruction.
function flush_slice() {
  if (fresh) { print "code sm_" sm "\n" slice "EXIT" > (out "short-" sm "-" ++number); close(out "short-" sm "-" number) }
  slice = ""; lines = 0; fresh = 0
}
/Function : / || /^\.text\./ { flush_slice() }
/sm_[0-9]+/ && match($0, /sm_[0-9]+/) && /code for|\.target/ { sm = substr($0, RSTART + 3, RLENGTH - 3) }
/EF_CUDA_SM[0-9]+/ { match($0, /EF_CUDA_SM[0-9]+/); sm = substr($0, RSTART + 10, RLENGTH - 10) }
/^[ \t]*\/\*[0-9a-f][0-9a-f][0-9a-f][0-9a-f]+\*\/.*;/ {
  text = $0
  sub(/^[ \t]*\/\*[0-9a-f]+\*\/[ \t]*/, "", text); sub(/[ \t]*;.*/, "", text)
  if (text ~ /(BRA|BSSY|BRX|CALL|JMP|BREAK|WARPSYNC)/) sub(/(0x[0-9a-f]+|`\(.*\))$/, "0x80", text)
  key = text; sub(/^@!?U?P[0-9T] /, "", key); sub(/ .*/, "", key); key = sm key
  if (!(key in seen)) { seen[key] = 1; fresh = 1 }
  next_is_high = 1
  next
}
next_is_high && match($0, /0x[0-9a-f]+/) {
  next_is_high = 0
  slice = slice text ";" substr($0, RSTART + 2, RLENGTH - 2) "\n"
  if (++lines == 16) flush_slice()
}
END { flush_slice() }
