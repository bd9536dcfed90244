package io.cloudmw.lab.torture.fault;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * In-memory file systems for disks, which can be made full of bytes or of files. Needs Linux and the right to mount.
 * Safe for any thread; calls wait for a system command.
 */
public final class DiskMounts implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DiskMounts.class);

    /** The bytes that a full file system still takes, so that writes fail midway rather than at their start. */
    private static final long LEFT_BYTES = 256 << 10;

    /** A practically unlimited number of files. A file system mounted without a limit cannot get one later. */
    private static final long FILES = 10_000_000;

    private static final int MOST_TRIES = 50;

    private final long bytes;

    @GuardedBy("this")
    private final List<Path> mounted = new ArrayList<>();

    @GuardedBy("this")
    private boolean closed;

    /**
     * Creates an empty set of file systems.
     *
     * @param bytes the capacity of each
     */
    public DiskMounts(long bytes) {
        this.bytes = bytes;
    }

    /**
     * Returns whether file systems can be mounted and made full below a directory, by a trial. {@link #close} waits for
     * the trial; after {@link #close} this tries nothing and makes no directory.
     *
     * @param totalBytes the most that all file systems may hold together; twice as much memory must be available
     */
    public synchronized boolean isPossible(Path directory, long totalBytes) {
        if (closed || availableBytes() / 2 < totalBytes) {
            return false;
        }
        try (DiskMounts probe = new DiskMounts(1 << 20)) {
            Path at = directory.resolve("mount-probe");
            probe.mount(at);
            probe.fill(at, true);
            probe.fill(at, false);
            probe.relieve(at);
            return true;
        } catch (IOException e) {
            log.debug("no file system can be mounted below {}", directory, e);
            return false;
        }
    }

    private static long availableBytes() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
            return lines.filter(line -> line.startsWith("MemAvailable:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst()
                    .orElse(0);
        } catch (IOException | UncheckedIOException e) {
            log.debug("cannot read the available memory from /proc/meminfo", e);
            return 0;
        }
    }

    /**
     * Makes a directory with its parents and mounts a file system there until this is closed.
     *
     * @throws IOException also when this is closed already, in which case no directory is made
     */
    public synchronized void mount(Path at) throws IOException {
        if (closed) {
            throw new IOException("closed");
        }
        Files.createDirectories(at);
        run("mount", "-t", "tmpfs", "-o", options(), "cloudmw-torture", at.toString());
        mounted.add(at);
    }

    /**
     * Makes a file system full, except for a few bytes. Retries when a concurrent writer has used more space than was
     * just measured.
     *
     * @param files whether files are exhausted, while the file system reports free bytes
     */
    public void fill(Path at, boolean files) throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                remount(at, files ? "nr_inodes=" + (usedFiles(at) + 1) : "size=" + (usedBytes(at) + LEFT_BYTES));
                return;
            } catch (IOException e) {
                if (tries == MOST_TRIES) {
                    throw e;
                }
            }
        }
    }

    private static long usedFiles(Path at) throws IOException {
        return Long.parseLong(run("df", "--output=iused", at.toString())
                .lines()
                .skip(1)
                .findFirst()
                .orElseThrow(() -> new IOException("df printed no count of files for " + at))
                .strip());
    }

    private static long usedBytes(Path at) throws IOException {
        FileStore store = Files.getFileStore(at);
        return store.getTotalSpace() - store.getUnallocatedSpace();
    }

    /** Makes room in a full file system. */
    public void relieve(Path at) throws IOException {
        remount(at, options());
    }

    private String options() {
        return "nr_inodes=" + FILES + ",size=" + bytes;
    }

    private static void remount(Path at, String options) throws IOException {
        run("mount", "-o", "remount," + options, at.toString());
    }

    private static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var out = process.getInputStream()) {
            String said = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            int exit = process.waitFor();
            if (exit != 0) {
                throw new IOException(String.join(" ", command) + ": exit " + exit + ": " + said.strip());
            }
            return said;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Unmounts all file systems, which deletes their files. Idempotent. */
    @Override
    public synchronized void close() {
        closed = true;
        for (Path at : mounted) {
            try {
                run("umount", "-l", at.toString());
            } catch (IOException e) {
                log.warn("{} stays mounted: {}", at, e.getMessage());
            }
        }
        mounted.clear();
    }
}
