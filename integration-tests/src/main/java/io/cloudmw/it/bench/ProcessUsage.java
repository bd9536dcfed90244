package io.cloudmw.it.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The kernel's counters of a process. */
final class ProcessUsage {
    private ProcessUsage() {}

    /** Returns the user and system CPU time of all threads so far, in seconds. */
    static double cpuSeconds(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
    }

    /**
     * Returns the bytes written to storage so far, directly or through the page cache, including bytes overwritten or
     * deleted since.
     */
    static long writtenBytes(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "io"))) {
            if (line.startsWith("write_bytes:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IOException("no write_bytes for process " + pid);
    }

    /** Returns the largest resident set so far, in bytes. */
    static long peakResidentBytes(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
            if (line.startsWith("VmHWM:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
            }
        }
        throw new IOException("no VmHWM for process " + pid);
    }
}
