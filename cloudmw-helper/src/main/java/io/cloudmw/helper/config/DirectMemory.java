package io.cloudmw.helper.config;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/** What this process may take outside its heap. */
public final class DirectMemory {
    private DirectMemory() {}

    /** So many bytes: as many as of heap, unless {@code -XX:MaxDirectMemorySize} says otherwise. */
    public static long limitBytes() {
        HotSpotDiagnosticMXBean machine = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        long given = Long.parseLong(machine.getVMOption("MaxDirectMemorySize").getValue());
        return given > 0 ? given : Runtime.getRuntime().maxMemory();
    }
}
