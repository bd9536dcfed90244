package io.cloudmw.cli.support;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A support bundle in the making: a ZIP file of texts without secrets. A part that cannot be collected is listed with
 * the reason. The file has its name once it is complete, and only its owner reads it. For one thread.
 */
final class SupportBundle implements AutoCloseable {
    /** The largest part in bytes; of a longer one the end is kept. */
    static final int MAX_PART_BYTES = 10 << 20;

    /** The largest sum of all parts. */
    static final long MAX_BYTES = 200L << 20;

    /** The collector of one part. */
    interface Source {
        String collect() throws Exception;
    }

    private final Path file;
    private final Path temporary;
    private final SecretMask mask;
    private final ZipOutputStream zip;
    private final Map<String, Long> parts = new LinkedHashMap<>();
    private final Map<String, String> missing = new LinkedHashMap<>();
    private long bytes;
    private boolean complete;

    private SupportBundle(Path file, Path temporary, SecretMask mask, ZipOutputStream zip) {
        this.file = file;
        this.temporary = temporary;
        this.mask = mask;
        this.zip = zip;
    }

    /**
     * Begins a bundle.
     *
     * @param replace whether the file may exist
     * @throws CloudMwException {@code ALREADY_EXISTS}; {@code LOCAL_IO} when the directory cannot be written
     */
    static SupportBundle begin(Path file, boolean replace, SecretMask mask) throws CloudMwException {
        if (Files.exists(file) && !replace) {
            throw new CloudMwException(
                    ErrorCode.ALREADY_EXISTS, file + " exists (expected: a new file; --force replaces it)");
        }
        Path directory = file.toAbsolutePath().getParent();
        try {
            Path temporary = Files.createTempFile(
                    directory,
                    ".cloudmw-support-",
                    ".part",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            return new SupportBundle(file, temporary, mask, new ZipOutputStream(Files.newOutputStream(temporary)));
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, file + ": cannot write it: " + Reasons.of(e), e);
        }
    }

    /**
     * Adds a part, or the reason why it is missing. A part that is there is not collected again.
     *
     * @return whether it was collected
     * @throws CloudMwException {@code LOCAL_IO} when the bundle cannot be written
     */
    boolean add(String name, Source source) throws CloudMwException {
        return add(name, source, mask::apply);
    }

    /** Adds the text of a file of settings, or the reason why it is missing; see {@link #add(String, Source)}. */
    boolean addSettings(String name, Source source) throws CloudMwException {
        return add(name, source, mask::applyToSettings);
    }

    private boolean add(String name, Source source, UnaryOperator<String> masking) throws CloudMwException {
        if (parts.containsKey(name)) {
            return true;
        }
        byte[] text;
        try {
            text = masking.apply(source.collect()).getBytes(StandardCharsets.UTF_8);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, name + ": interrupted", e);
        } catch (Exception | OutOfMemoryError e) {
            missing(name, e instanceof IOException io ? Reasons.of(io) : String.valueOf(e.getMessage()));
            return false;
        }
        if (bytes >= MAX_BYTES) {
            missing(name, "the bundle has " + (MAX_BYTES >> 20) + " MiB already");
            return false;
        }
        write(name, text);
        return true;
    }

    /** Lists a part as missing. */
    void missing(String name, String reason) {
        missing.put(name, mask.apply(reason));
    }

    private void write(String name, byte[] content) throws CloudMwException {
        int from = Math.max(0, content.length - MAX_PART_BYTES);
        int length = content.length - from;
        try {
            zip.putNextEntry(new ZipEntry(name));
            zip.write(content, from, length);
            zip.closeEntry();
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, file + ": cannot write it: " + Reasons.of(e), e);
        }
        bytes += length;
        parts.put(name, (long) length);
    }

    /** The parts that were collected, with their lengths in bytes. */
    List<String> parts() {
        return List.copyOf(parts.keySet());
    }

    /** The parts that are missing, with the reasons. */
    Map<String, String> missing() {
        return new LinkedHashMap<>(missing);
    }

    /** Writes the list of parts and gives the file its name. */
    void complete() throws CloudMwException {
        List<String> lines = new ArrayList<>();
        lines.add("Parts, with their lengths in bytes:");
        parts.forEach((name, length) -> lines.add("  " + name + " " + length));
        lines.add("");
        lines.add(missing.isEmpty() ? "Nothing is missing." : "Missing, with the reasons:");
        missing.forEach((name, reason) -> lines.add("  " + name + ": " + reason));
        lines.add("");
        lines.add("Secrets are replaced by " + SecretMask.MASKED + ". Read the parts before you send them to others.");
        write("contents.txt", (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
        try {
            zip.close();
            Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            complete = true;
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, file + ": cannot write it: " + Reasons.of(e), e);
        }
    }

    /** Removes what is there of an incomplete bundle. */
    @Override
    public void close() {
        if (complete) {
            return;
        }
        try {
            zip.close();
        } catch (IOException e) {
            // The file is removed next.
        }
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            // The user has the reason why it could not be written.
        }
    }
}
