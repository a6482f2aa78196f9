# Joins the program's rows with Nsight Compute's table, row by row, into
#
#   # <two lines of provenance>
#   kernel,m,n,k,group,parameters,block,grid,<metric>,<metric>...
#
#   awk -v metrics=FILE -v head=FILE -f csv.awk -f join.awk X.cases.csv X.ncu.csv      metrics: one name a line, in the order wanted
#   awk -v head=FILE -f csv.awk -f join.awk X.cases.csv                                no counters: gpu__time_duration.sum from the program
#
# m, n, k and group are empty for memory kernels, parameters (NAME=VALUE;...) for GEMMs. The program and the profiler must agree on
# block and grid, so that no row meets another case's counters. SM CLOCK in the provenance becomes the median clock of the rows.

function fail(sentence) { print "join.awk: " sentence > "/dev/stderr"; failed = 1; exit 1 }

BEGIN {
  if (metrics != "") while ((getline name < metrics) > 0) wanted[++wanted_count] = name
}

FNR == 1 { ++file }

# The program's rows.
file == 1 && FNR == 1 {
  columns_of($0, case_column)
  next
}
file == 1 {
  split_csv($0, cell)
  ++cases
  block[cases] = cell[case_column["block"]]
  grid[cases] = cell[case_column["grid"]]
  kernel[cases] = cell[case_column["kernel"]]
  left[cases] = kernel[cases] "," cell[case_column["m"]] "," cell[case_column["n"]] "," cell[case_column["k"]] "," \
    cell[case_column["group"]] "," cell[case_column["parameters"]] ",\"" block[cases] "\",\"" grid[cases] "\""
  nanoseconds[cases] = sprintf("%.0f", cell[case_column["median_ms"]] * 1e6)
  if (cell[case_column["sm_mhz"]] != "") clock[++clocks] = cell[case_column["sm_mhz"]]
  next
}

# Nsight Compute's table: the names, the units, the rows; what it says besides begins with '=='.
/^==/ || $0 == "" { next }
/^"ID"/ {
  columns_of($0, ncu_column)
  units_follow = 1
  next
}
units_follow { units_follow = 0; next }
!("Block Size" in ncu_column) { next }
{
  split_csv($0, cell)
  if (++rows > cases) fail("the profiler has more rows than the " cases " cases")
  if (cell[ncu_column["Block Size"]] != block[rows] || cell[ncu_column["Grid Size"]] != grid[rows])
    fail("row " rows ": got block " cell[ncu_column["Block Size"]] " and grid " cell[ncu_column["Grid Size"]] " from the profiler; must be " block[rows] " and " grid[rows] " for " kernel[rows])
  for (i = 1; i <= wanted_count; ++i)
    if (wanted[i] in ncu_column) value[rows, i] = plain(cell[ncu_column[wanted[i]]])
    else missing[wanted[i]] = 1
  name = "sm__cycles_elapsed.avg.per_second"
  if (name in ncu_column) clock[++clocks] = plain(cell[ncu_column[name]]) / 1e6
}

END {
  if (failed) exit 1
  with_counters = wanted_count > 0
  if (with_counters && rows != cases) fail("the profiler has " rows + 0 " rows for " cases " cases")
  while ((getline line < head) > 0) {
    sub(/SM CLOCK MHz/, clocks > 0 ? sprintf("SM %.0f MHz", median(clock, clocks)) : "SM clock not measured", line)
    print line
  }
  header = "kernel,m,n,k,group,parameters,block,grid"
  if (!with_counters) header = header ",gpu__time_duration.sum"
  for (i = 1; i <= wanted_count; ++i) {
    if (wanted[i] in missing) print "join.awk: the profiler left out " wanted[i] > "/dev/stderr"
    else header = header "," wanted[i]
  }
  print header
  for (row = 1; row <= cases; ++row) {
    text = left[row]
    if (!with_counters) text = text "," nanoseconds[row]
    for (i = 1; i <= wanted_count; ++i) if (!(wanted[i] in missing)) text = text "," value[row, i]
    print text
  }
}
