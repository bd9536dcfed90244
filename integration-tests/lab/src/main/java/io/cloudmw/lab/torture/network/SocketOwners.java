package io.cloudmw.lab.torture.network;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A map from sockets to their processes, from Linux's {@code /proc}. Sees processes of the same user only. */
final class SocketOwners {
    /** The name for an unknown process, or for any process on a system without {@code /proc}. */
    static final String UNKNOWN = "?";

    private static final Path PROC = Path.of("/proc");
    private static final List<String> TABLES = List.of("tcp", "tcp6");
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int INODE = 9;

    private SocketOwners() {}

    static boolean isTold() {
        return Files.isReadable(PROC.resolve("net/tcp"));
    }

    /**
     * Returns the name of the process, among those given, that owns the connection between two ports of this machine.
     */
    static String of(InetSocketAddress caller, InetSocketAddress front, Map<Long, String> processes) {
        Optional<String> inode = inode(caller.getPort(), front.getPort());
        if (inode.isEmpty()) {
            return UNKNOWN;
        }
        String link = "socket:[" + inode.get() + "]";
        for (Map.Entry<Long, String> process : processes.entrySet()) {
            if (has(process.getKey(), link)) {
                return process.getValue();
            }
        }
        return UNKNOWN;
    }

    private static Optional<String> inode(int localPort, int remotePort) {
        String local = String.format(":%04X", localPort);
        String remote = String.format(":%04X", remotePort);
        for (String table : TABLES) {
            try {
                for (String line : Files.readAllLines(PROC.resolve("net").resolve(table), StandardCharsets.US_ASCII)) {
                    List<String> fields = List.of(line.trim().split(" +", -1));
                    if (fields.size() > INODE
                            && fields.get(LOCAL).endsWith(local)
                            && fields.get(REMOTE).endsWith(remote)) {
                        return Optional.of(fields.get(INODE));
                    }
                }
            } catch (IOException e) {
                // The table does not exist: another system, or no IPv6.
            }
        }
        return Optional.empty();
    }

    private static boolean has(long pid, String link) {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(PROC.resolve(pid + "/fd"))) {
            for (Path descriptor : open) {
                if (link.equals(target(descriptor))) {
                    return true;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // The process has ended.
        }
        return false;
    }

    /** Returns the target of a descriptor's link; descriptors may vanish at any time. */
    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
