# Part of tools/plot-study: reads the table, writes the file DATA and, to standard output, gnuplot's commands.
# Parameters come by the environment, lists of them one a line.
function fail(sentence) { print "tools/plot-study: " ENVIRON["TABLE"] ": " sentence >"/dev/stderr"; failed = 1; exit 1 }

# Fields of a CSV line.
function fields(line, into,   n, c, i, quoted) {
  n = 1; into[1] = ""; quoted = 0
  for (i = 1; i <= length(line); ++i) {
    c = substr(line, i, 1)
    if (c == "\"") {
      if (quoted && substr(line, i + 1, 1) == "\"") { into[n] = into[n] c; ++i } else quoted = !quoted
    } else if (c == "," && !quoted) into[++n] = ""
    else into[n] = into[n] c
  }
  return n
}
function column(name) { if (!(name in at)) fail("has no column " name "; it has: " header); return at[name] }
function shown(value) { return value in text_of ? text_of[value] : value }
function quoted_text(text) { gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); return "\"" text "\"" }
# The values of some columns, as one text; `full`: numbers with their columns' names.
function joined(columns, between, full,   list, n, i, raw, text, value) {
  n = split(columns, list, ",")
  for (i = 1; i <= n; ++i) {
    value = f[column(list[i])]
    if (value == "") continue
    raw = raw (raw == "" ? "" : between) (full && value ~ /^[-+0-9.]/ ? list[i] " " value : value)
    value = shown(value)
    text = text (text == "" ? "" : between) (full && value ~ /^[-+0-9.]/ ? list[i] " " value : value)
  }
  return raw in text_of ? text_of[raw] : text
}

BEGIN {
  row_count = split(ENVIRON["YS"], rows, "\n")
  where_count = split(ENVIRON["WHERES"], wheres, "\n")
  n = split(ENVIRON["NAMES"], names, "\n")
  for (i = 1; i <= n; ++i) text_of[substr(names[i], 1, match(names[i], /=[^=]*$/) - 1)] = substr(names[i], RSTART + 1)
  x_columns = ENVIRON["X"]
  if (match(x_columns, /=/)) { x_label = substr(x_columns, RSTART + 1); x_columns = substr(x_columns, 1, RSTART - 1) }
  for (r = 1; r <= row_count; ++r) {
    y = rows[r]
    if (match(y, /=/)) { y_label[r] = substr(y, RSTART + 1); y = substr(y, 1, RSTART - 1) }
    factor[r] = 1
    if (match(y, /\/[0-9.e+-]+$/)) { factor[r] = substr(y, RSTART + 1) + 0; y = substr(y, 1, RSTART - 1) }
    y_column[r] = y
  }
  numeric = 1
  own_scales = ENVIRON["OWN_SCALES"] == "yes"
}

NR == 1 {
  n = fields($0, names_with_units)
  for (i = 1; i <= n; ++i) {
    name = names_with_units[i]
    if (match(name, / \[.*\]$/)) { units[substr(name, 1, RSTART - 1)] = substr(name, RSTART + 2, RLENGTH - 3); name = substr(name, 1, RSTART - 1) }
    at[name] = i
    header = header (i == 1 ? "" : ", ") name
  }
  for (r = 1; r <= row_count; ++r)
    if (!(r in y_label)) y_label[r] = y_column[r] (units[y_column[r]] == "" ? "" : ", " units[y_column[r]])
  if (x_label == "") x_label = x_columns (units[x_columns] == "" ? "" : ", " units[x_columns])
  next
}

{
  split("", f)
  fields($0, f)
  if ("status" in at && f[at["status"]] != "ok") next
  for (w = 1; w <= where_count; ++w) {
    split(wheres[w], part, "=")
    if (f[column(part[1])] != part[2]) next
  }
  panel = ENVIRON["PANELS"] == "" ? "" : joined(ENVIRON["PANELS"], ", ", 0)
  line = ENVIRON["SERIES"] == "" ? "" : joined(ENVIRON["SERIES"], ", ", 1)
  place = joined(x_columns, "x", 0)
  if (!(panel in panel_number)) { panel_number[panel] = ++panel_count; panel_name[panel_count] = panel }
  if (!(line in line_number)) { line_number[line] = ++line_count; line_name[line_count] = line }
  if (!(place in place_number)) { place_number[place] = ++place_count; place_name[place_count] = place }
  if (place !~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/) numeric = 0
  for (r = 1; r <= row_count; ++r) {
    y = f[column(y_column[r])]
    if (y == "") continue
    key = panel_number[panel] SUBSEP line_number[line] SUBSEP r
    if ((key, place) in value)
      fail("two points at " x_columns " " place (panel == "" ? "" : " of " panel) (line == "" ? "" : ", " line) "; --series or --where must tell them apart")
    value[key, place] = y / factor[r]
    scale = own_scales ? r SUBSEP panel_number[panel] : r
    if (!(scale in highest) || value[key, place] > highest[scale]) highest[scale] = value[key, place]
    if (!(scale in lowest) || value[key, place] < lowest[scale]) lowest[scale] = value[key, place]
  }
}

# Where the names of the lines go, below the picture: key_row, key_x (pixels) of each, key_rows.
function place_key(width,   l, row, x, first, shift, m) {
  key_rows = 0
  if (line_count == 1 && line_name[1] == "") return
  row = 1; x = 0; first = 1
  for (l = 1; l <= line_count + 1; ++l) {
    if (l <= line_count) wide = 62 + 7.6 * length(line_name[l])
    if (l > line_count || (x > 0 && x + wide > width - 20)) {   # the row is full: to the middle with it
      shift = (width - x) / 2
      for (m = first; m < l; ++m) key_x[m] += shift
      if (l > line_count) break
      ++row; x = 0; first = l
    }
    key_x[l] = x; key_row[l] = row
    x += wide
  }
  key_rows = row
}

# 1, 2, 5, 10, ... between two numbers; more where these are close.
function log_tics(low, high,   decade, i, list, steps, count) {
  count = split(high / low < 8 ? "1 1.5 2 3 4 5 6 8" : "1 2 5", steps, " ")
  for (decade = 10 ^ int(log(low) / log(10) - 1); decade <= high; decade *= 10)
    for (i = 1; i <= count; ++i)
      if (decade * steps[i] >= low && decade * steps[i] <= high) list = list (list == "" ? "" : ", ") decade * steps[i]
  return list
}

function draw_key(width, height,   l, y, blocks, plots) {
  print "unset title\nunset xlabel\nunset ylabel\nunset tics\nunset border\nunset grid\nunset logscale"
  print "set lmargin at screen 0\nset rmargin at screen 1\nset bmargin at screen 0\nset tmargin at screen 1"
  printf "set xrange [0:%d]\nset yrange [0:%d]\n", width, height
  for (l = 1; l <= line_count; ++l) {
    y = 14 + 20 * (key_rows - key_row[l])
    printf "$key%d << END\n%g %g\n%g %g\n%g %g\nEND\n", l, key_x[l], y, key_x[l] + 20, y, key_x[l] + 40, y
    printf "set label %d %s at %g,%g left\n", 10 + l, quoted_text(line_name[l]), key_x[l] + 46, y
    plots = plots (l == 1 ? "" : ", ") "$key" l " with lines ls " l ", $key" l " every ::1::1 with points ls " l
  }
  print "plot " plots
}

# The places from left to right: numbers ascend, words stay in the table's order.
function sort_places(   i, j, name) {
  for (i = 2; i <= place_count; ++i) {
    name = place_name[i]
    for (j = i - 1; j >= 1 && place_name[j] + 0 > name + 0; --j) place_name[j + 1] = place_name[j]
    place_name[j + 1] = name
  }
}

END {
  if (failed) exit 1
  if (panel_count == 0) fail("no point to draw")
  if (numeric) sort_places()
  for (p = 1; p <= panel_count; ++p) for (l = 1; l <= line_count; ++l) for (r = 1; r <= row_count; ++r) {
    for (i = 1; i <= place_count; ++i) {
      key = p SUBSEP l SUBSEP r
      if (!((key, place_name[i]) in value)) continue
      print (numeric ? place_name[i] : i), value[key, place_name[i]] >ENVIRON["DATA"]
      drawn[p, l, r] = 1
    }
    if ((p, l, r) in drawn) { block[p, l, r] = block_count++; print "\n" >ENVIRON["DATA"] }
  }
  close(ENVIRON["DATA"])

  gap = own_scales ? 64 : 26   # between panels
  width = panel_count == 1 ? 640 : 130 + (244 + gap) * panel_count - gap + 26
  place_key(width)
  top = 26 + (ENVIRON["TITLE"] == "" ? 0 : 26)
  bottom = 70 + 20 * key_rows + (numeric ? 0 : 14)
  row_height = row_count == 1 ? 300 : 220
  height = top + bottom + row_count * row_height + (row_count - 1) * 26
  printf "set terminal svg size %d,%d font \"sans-serif,13\" background \"white\"\n", width, height
  print "set encoding utf8\nset output " quoted_text(ENVIRON["PICTURE"])
  print "set termoption noenhanced\nset grid lc rgb \"#dddddd\"\nset border 3\nset tics nomirror out scale 0.6"
  printf "set multiplot layout %d,%d margins screen %.4f,%.4f,%.4f,%.4f spacing screen %.4f,%.4f\n", row_count, panel_count,
         84 / width, 1 - 16 / width, bottom / height, 1 - top / height, gap / width, 26 / height
  if (ENVIRON["TITLE"] != "") printf "set label 1 %s at screen 0.5,%.4f center font \"sans-serif,15\"\n", quoted_text(ENVIRON["TITLE"]), 1 - 16 / height
  print "unset key"
  split("1 (9,4) (2,3) (12,4,2,4) (16,5) (1,4) (20,3,2,3,2,3) (5,2)", dashes, " ")
  split("7 6 5 4 9 8 13 12", shapes, " ")   # filled, hollow; discs, squares, triangles, diamonds
  split("#000000 #606060", inks, " ")
  for (l = 1; l <= line_count; ++l)
    printf "set style line %d dt %s pt %d ps 0.7 lw 1.4 lc rgb \"%s\"\n", l, dashes[1 + (l - 1) % 8], shapes[1 + (l - 1) % 8], inks[1 + int((l - 1) / 8) % 2]
  log_x = ENVIRON["LOG"] ~ /x/ && numeric
  log_y = ENVIRON["LOG"] ~ /y/
  if (log_x) print "set logscale x 2"
  if (log_y) print "set logscale y"
  for (i = 1; i <= place_count; ++i) {
    at_place = " " (numeric ? place_name[i] : i)
    tics = tics (i == 1 ? "" : ", ") quoted_text(shown(place_name[i])) at_place
    bare_tics = bare_tics (i == 1 ? "" : ", ") "\"\"" at_place
  }
  if (numeric) {
    low = place_name[1]; high = place_name[place_count]
    if (log_x) printf "set xrange [%g:%g]\n", low / 1.15, high * 1.15
    else printf "set xrange [%g:%g]\n", low - 0.06 * (high - low), high + 0.06 * (high - low)
  } else {
    printf "set xrange [0.6:%g]\n", place_count + 0.4
  }
  turned = place_count * 7 * length(place_name[place_count]) > 250
  for (r = 1; r <= row_count; ++r) for (p = 1; p <= panel_count; ++p) {
    if (r == 1) print "set title " quoted_text(panel_name[p]) " offset 0,-0.8"; else print "unset title"
    if (p == 1) print "set ylabel " quoted_text(y_label[r]) " offset 0.5,0"; else print "unset ylabel"
    print "set format y " (p == 1 || own_scales ? "\"%g\"" : "\"\"")
    print "set xtics " (turned ? "rotate by -35 " : "") "(" (r == row_count ? tics : bare_tics) ")"
    if (r == row_count) print "set xlabel " quoted_text(x_label); else print "unset xlabel"
    scale = own_scales ? r SUBSEP p : r
    if (log_y) printf "set yrange [%g:%g]\nset ytics (%s)\n", lowest[scale] / 1.2, highest[scale] * 1.2,
                      log_tics(lowest[scale] / 1.2, highest[scale] * 1.2)
    else printf "set yrange [%g:%g]\n", lowest[scale] < 0 ? lowest[scale] * 1.1 : 0, highest[scale] == 0 ? 1 : highest[scale] * 1.08
    plots = ""
    for (l = 1; l <= line_count; ++l) if ((p, l, r) in block)
      plots = plots (plots == "" ? "" : ", ") quoted_text(ENVIRON["DATA"]) " index " block[p, l, r] " with linespoints ls " l
    print "plot " (plots == "" ? "NaN" : plots)
    if (ENVIRON["TITLE"] != "") print "unset label 1"
  }
  if (key_rows > 0) draw_key(width, height)
  print "unset multiplot"
}
