# Tables of tune.sh: awk -v join=... -f csv.awk -f tune.awk ...
#
#   join=cases     X.cases.csv X.ncu.csv   ->  kernel,m,n,k,group,ns,cycles: one launch a case, in order; block and grid must agree
#   join=library   X.cases.csv X.ncu.csv   ->  the same, the launches between marks added up
#   join=median    such rows               ->  the table, in the order in which they first appear

function fail(sentence) { print "tune.awk: " sentence > "/dev/stderr"; failed = 1; exit 1 }
function put(at, ns, cycles) { if (at in left) print left[at] "," ns "," cycles; else fail("the profiler has more launches than there are cases") }

FNR == 1 { ++file }

join == "median" {
  split($0, cell, ",")
  key = cell[1] "," cell[5] "," cell[2] "," cell[3] "," cell[4]
  if (!(key in runs)) order[++keys] = key
  ++runs[key]
  ns[key, runs[key]] = cell[6]
  cycles[key, runs[key]] = cell[7]
  next
}

file == 1 && FNR == 1 {
  columns_of($0, column)
  next
}
file == 1 {
  split_csv($0, cell)
  left[++cases] = cell[column["kernel"]] "," cell[column["m"]] "," cell[column["n"]] "," cell[column["k"]] "," cell[column["group"]]
  shape[cases] = cell[column["block"]] cell[column["grid"]]
  next
}

/^==/ || $0 == "" { next }
/^"ID"/ {
  columns_of($0, name)
  units_follow = 1
  next
}
units_follow { units_follow = 0; next }
!("Block Size" in name) { next }
{
  split_csv($0, cell)
  took = plain(cell[name["gpu__time_duration.sum"]])
  cycle = plain(cell[name["gpc__cycles_elapsed.max"]])
  kernel = cell[name["Kernel Name"]]
}
join == "cases" {
  ++rows
  if (rows in shape && shape[rows] != cell[name["Block Size"]] cell[name["Grid Size"]])
    fail("row " rows ": block and grid of " kernel " are not those of " left[rows])
  put(rows, took, cycle)
  next
}
kernel ~ /library_begins/ { inside = 1; sum = cycle_sum = 0; next }
kernel ~ /library_ends/ { put(++rows, sum, cycle_sum); inside = 0; next }
inside { sum += took; cycle_sum += cycle }

END {
  if (failed) exit 1
  if (join != "median") exit
  while ((getline < configs) > 0) if ($1 !~ /^#/) type[$2] = $1
  print "type,kernel,group,m,n,k,runs,gpu__time_duration.sum,shortest,longest,gpc__cycles_elapsed.max"
  for (i = 1; i <= keys; ++i) {
    key = order[i]
    split("", a); split("", b)
    for (r = 1; r <= runs[key]; ++r) { a[r] = ns[key, r]; b[r] = cycles[key, r] }
    middle = median(a, runs[key])  # sorts
    split(key, cell, ",")
    kind = cell[1] in type ? type[cell[1]] : substr(cell[1], 8)  # cublas_f32
    print kind "," key "," runs[key] "," middle "," a[1] "," a[runs[key]] "," median(b, runs[key])
  }
}
