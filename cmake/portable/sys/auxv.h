#error "sys/auxv.h is not on every system: put what needs it into src/exec, or behind #ifdef __linux__"
