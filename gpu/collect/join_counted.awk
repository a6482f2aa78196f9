# Joins the launches of the counted_* microbenchmarks with Nsight Compute's table, in order, into rows
#
#   benchmark,case,metric,value,unit
#
#   awk -v metrics=gpc__cycles_elapsed.max,... -f csv.awk -f join_counted.awk X.csv X.ncu.csv
#
# X.csv is the program's (report.h): its rows with the metric `launch`, one per launch, say which case a launch belongs to.

BEGIN { wanted_count = split(metrics, wanted, ",") }
FNR == 1 { ++file }
file == 1 { split($0, part, ","); if (part[3] == "launch") name[cases++] = part[1] "," part[2]; next }
/^==/ { next }
!columns { columns = split_csv($0, head); for (i = 1; i <= columns; ++i) column[head[i]] = i; next }
!units { units = 1; next }
{
  split_csv($0, cell)
  for (i = 1; i <= wanted_count; ++i) {
    if (wanted[i] in column) print name[rows + 0] "," wanted[i] "," plain(cell[column[wanted[i]]]) ","
  }
  ++rows
}
END {
  if (rows == cases) exit 0
  print "join_counted.awk: got " rows + 0 " launches in the table; must be " cases + 0 ", as in the program's file" > "/dev/stderr"
  exit 1
}
