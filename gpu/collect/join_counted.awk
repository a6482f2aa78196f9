# Joins the launches of the counted_* microbenchmarks with Nsight Compute's table, in order, into rows
#
#   benchmark,case,metric,value,unit
#
#   awk -v metrics=gpc__cycles_elapsed.max,... -f join_counted.awk X.csv X.ncu.csv
#
# X.csv is the program's (report.h): its rows with the metric `launch`, one per launch, say which case a launch belongs to.

# Splits a line of CSV into cell[1..]; quotes are dropped; in a quoted number, so are the commas.
function split_csv(line, cell,    count, i, character, quoted, text) {
  split("", cell); count = 0; text = ""; quoted = 0
  for (i = 1; i <= length(line); ++i) {
    character = substr(line, i, 1)
    if (character == "\"") quoted = !quoted
    else if (character == "," && !quoted) { cell[++count] = text; text = "" }
    else if (character != "\r") text = text character
  }
  cell[++count] = text
  return count
}

BEGIN { wanted_count = split(metrics, wanted, ",") }
FNR == 1 { ++file }
file == 1 { split($0, part, ","); if (part[3] == "launch") name[cases++] = part[1] "," part[2]; next }
/^==/ { next }
!columns { columns = split_csv($0, head); for (i = 1; i <= columns; ++i) column[head[i]] = i; next }
!units { units = 1; next }
{
  split_csv($0, cell)
  for (i = 1; i <= wanted_count; ++i) {
    value = cell[column[wanted[i]]]
    gsub(/,/, "", value)
    if (wanted[i] in column) print name[rows + 0] "," wanted[i] "," value ","
  }
  ++rows
}
END {
  if (rows == cases) exit 0
  print "join_counted.awk: got " rows + 0 " launches in the table; must be " cases + 0 ", as in the program's file" > "/dev/stderr"
  exit 1
}
