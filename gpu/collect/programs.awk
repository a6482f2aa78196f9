# Nsight Compute's table of a program's launches, reduced to
#
#   # <two lines of provenance>
#   kernel,block,grid,<metric>,<metric>...        a row per launch in launch order; kernel: the mangled name
#
#   awk -v metrics=FILE -v head=FILE -f csv.awk -f programs.awk X.ncu.csv      metrics: one name a line, in the order wanted
#
# SM CLOCK in the provenance becomes the median clock of the rows. A launch without counters ends the program: rows must not shift.

function fail(sentence) { print "programs.awk: " sentence > "/dev/stderr"; failed = 1; exit 1 }

BEGIN { while ((getline name < metrics) > 0) wanted[++wanted_count] = name }

{ sub(/\r$/, "") }
!header_seen && /^"ID"/ {
  columns_of($0, column)
  for (i = 1; i <= wanted_count; ++i) {
    if (!(wanted[i] in column)) print "programs.awk: the profiler left out " wanted[i] > "/dev/stderr"
    else kept[++kept_count] = wanted[i]
  }
  header_seen = units_follow = 1
  next
}
!header_seen || /^==/ || $0 == "" { next }
units_follow { units_follow = 0; next }
{
  split_csv($0, cell)
  if (plain(cell[column["gpu__time_duration.sum"]]) !~ /^[0-9.]+$/) fail("launch " rows ": has no counters")
  line = cell[column["Kernel Name"]] ",\"" cell[column["Block Size"]] "\",\"" cell[column["Grid Size"]] "\""
  for (i = 1; i <= kept_count; ++i) line = line "," plain(cell[column[kept[i]]])
  row[++rows] = line
  clock[rows] = plain(cell[column["sm__cycles_elapsed.avg.per_second"]]) / 1e6
}

END {
  if (failed) exit 1
  if (!rows) fail("the table holds no launch")
  while ((getline line < head) > 0) { sub(/SM CLOCK MHz/, sprintf("SM %.0f MHz", median(clock, rows)), line); print line }
  header = "kernel,block,grid"
  for (i = 1; i <= kept_count; ++i) header = header "," kept[i]
  print header
  for (i = 1; i <= rows; ++i) print row[i]
}
