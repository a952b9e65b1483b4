# Run by gdb: prints the parts of types, down to numbers and pointers, as JSON rows of type, path, offset and size.
import json
import gdb

STRUCTS = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)


def parts(kind, path, offset, rows):
    kind = kind.strip_typedefs()
    if kind.code in STRUCTS:
        for field in kind.fields():
            if not hasattr(field, "bitpos") or field.artificial:
                continue
            named = field.name is not None and field.name != "" and not field.is_base_class
            inner = path + "." + field.name if named else path
            if field.bitsize > 0:
                continue
            parts(field.type, inner, offset + field.bitpos // 8, rows)
    elif kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        element = kind.target()
        # The first, the second and the last say as much as all of them.
        for index in sorted({0, 1, high} & set(range(low, high + 1))):
            parts(element, "%s[%d]" % (path, index), offset + index * element.sizeof, rows)
    else:
        rows.append({"path": path.lstrip("."), "offset": offset, "size": kind.sizeof})


names = gdb.convenience_variable("names").string().split("|")
found = []
for name in names:
    rows = []
    kind = gdb.lookup_type(name)
    parts(kind, "", 0, rows)
    found.append({"name": name, "size": kind.sizeof, "parts": rows})
print("LAYOUTS" + json.dumps(found))
