package io.cloudmw.client.cli;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the commands make of paths of this machine. */
final class LocalPaths {
    private LocalPaths() {}

    /** Neither a file nor a directory, but there: a pipe, a device. It has no length, and nothing to replace. */
    static boolean isSpecial(Path path) {
        return Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path);
    }

    static CloudMwException failed(Path path, String what, IOException e) {
        return new CloudMwException(ErrorCode.LOCAL_IO, path + ": cannot " + what + " it: " + Reasons.of(e), e);
    }
}
