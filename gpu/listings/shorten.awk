# Of the texts of cuobjdump -sass and -elf: the chosen functions (file KEEP, a mangled name a line), and of the ELF what
# launch files read of it: registers, shared memory, parameters, constants. Runs of spaces become one.
BEGIN { while ((getline name < KEEP) > 0) chosen[name] = 1 }
function put() { gsub(/[ \t]+/, " "); sub(/ $/, ""); print }

/64-?bit (ELF|elf)/ { elf = 1; put(); next }
!elf && /Function : / { code = 1; part = ($3 in chosen) }
!elf { if (!code || part) put(); next }

/NOBITS/ { name = $NF; if (sub(/^\.nv\.shared\./, "", name) && name in chosen) put(); next }
/^\.[a-z]/ {
  name = $1
  info = sub(/^\.nv\.info\.?/, "", name); constant = sub(/^\.nv\.constant[1-9]\.?/, "", name)
  part = (info || constant) && (name == "" || name in chosen)
  if (part) put()
  next
}
!part { next }
constant && /^0x/ { put(); next }
/Attribute:/ { attribute = $2; held = $0; next }
/Value:/ && attribute ~ /^EIATTR_(REGCOUNT|KPARAM_INFO|PARAM_CBANK)$/ {
  if (attribute == "EIATTR_REGCOUNT") {
    name = $3; sub(/\(0x[0-9a-f]+\)$/, "", name)
    if (!(name in chosen)) next
  }
  value = $0; $0 = held; put(); $0 = value; put()
}
