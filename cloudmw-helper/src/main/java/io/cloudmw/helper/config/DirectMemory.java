package io.cloudmw.helper.config;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/** The direct memory of this process. */
public final class DirectMemory {
    private DirectMemory() {}

    /** The limit in bytes: {@code -XX:MaxDirectMemorySize}, or the size of the heap when it is not set. */
    public static long limitBytes() {
        HotSpotDiagnosticMXBean machine = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        long given = Long.parseLong(machine.getVMOption("MaxDirectMemorySize").getValue());
        return given > 0 ? given : Runtime.getRuntime().maxMemory();
    }
}
