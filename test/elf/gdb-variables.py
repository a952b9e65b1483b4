# Run by gdb: steps through the program and prints, as JSON, what gdb knows of every frame's variables.
import json
import gdb

STEPS = int(gdb.convenience_variable("steps"))
STRIDE = int(gdb.convenience_variable("stride"))
REGISTERS = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"] + ["r%d" % n for n in range(8, 16)] + ["rip"]
MASK = (1 << 64) - 1
# The program's own variables: where they lie from main on, and how many bytes of them.
DATA_OFFSET = int(gdb.convenience_variable("data_offset"))
DATA_SIZE = int(gdb.convenience_variable("data_size"))


def describe(value):
    if value.is_optimized_out:
        return {"lost": True}
    if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return {"size": 8, "value": str(int(value.referenced_value().address) & MASK)}
    row = {"size": int(value.type.sizeof)}
    if value.address is not None:
        row["address"] = str(int(value.address) & MASK)
    code = value.type.strip_typedefs().code
    scalars = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL)
    if code in scalars and value.type.sizeof <= 8:
        row["value"] = str(int(value) & ((1 << (8 * value.type.sizeof)) - 1))
    return row


def variables(frame):
    rows = []
    try:
        block = frame.block()
    except RuntimeError:
        return rows
    while block is not None and not block.is_global and not block.is_static:
        for symbol in block:
            if not (symbol.is_variable or symbol.is_argument):
                continue
            try:
                row = describe(frame.read_var(symbol, block))
            except (gdb.error, gdb.MemoryError) as error:
                row = {"error": str(error)}
            row["name"] = symbol.name
            row["argument"] = symbol.is_argument
            rows.append(row)
        if block.function is not None:
            break
        block = block.superblock
    return rows


def sample():
    frame = gdb.newest_frame()
    inferior = gdb.selected_inferior()
    sp = int(frame.read_register("rsp"))
    start = sp - 256
    stack = b""
    # As far as there is a stack, a page at a time.
    while len(stack) < 65536:
        at = start + len(stack)
        try:
            stack += inferior.read_memory(at, 4096 - at % 4096).tobytes()
        except gdb.MemoryError:
            break
    frames = []
    pending = []
    while frame is not None and len(frames) < 6:
        rows = variables(frame)
        pending += rows
        if frame.type() != gdb.INLINE_FRAME:
            registers = {}
            for index, name in enumerate(REGISTERS):
                try:
                    value = frame.read_register(name)
                    if not value.is_optimized_out:
                        registers[str(index)] = str(int(value) & MASK)
                except (gdb.error, ValueError):
                    pass
            table = frame.find_sal().symtab
            frames.append({"registers": registers, "variables": pending, "known": table is not None})
            pending = []
            if frame.name() == "main":
                break
        frame = frame.older()
    data = inferior.read_memory(entry + DATA_OFFSET, DATA_SIZE).tobytes()
    memory = [{"start": str(start), "bytes": stack.hex()}, {"start": str(entry + DATA_OFFSET), "bytes": data.hex()}]
    return {"frames": frames, "memory": memory}


gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("set print inferior-events off")
gdb.execute("set disable-randomization on")
gdb.execute("tbreak main", to_string=True)
gdb.execute("run > /dev/null", to_string=True)
entry = int(gdb.parse_and_eval("(long)&main"))
samples = []
count = 0
# Library code is left at once, and so is what called main: "finish" runs to the program's end there.
while len(samples) < STEPS and gdb.selected_inferior().threads():
    frame = gdb.newest_frame()
    here = gdb.solib_name(frame.pc()) is None and frame.find_sal().symtab is not None
    if here and count % STRIDE == 0:
        samples.append(sample())
    count += 1 if here else 0
    gdb.execute("stepi" if here else "finish", to_string=True)
print("SAMPLES" + json.dumps({"main": str(entry), "samples": samples}))
