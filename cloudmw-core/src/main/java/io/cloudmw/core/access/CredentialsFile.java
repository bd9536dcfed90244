package io.cloudmw.core.access;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file with one pair of keys, in the form of {@code ~/.aws/credentials}: {@code aws_access_key_id = ...} and {@code
 * aws_secret_access_key = ...}, and {@code aws_session_token = ...} for temporary ones. Among several sections {@code
 * [default]} counts, or the only one. Java's own names ({@code accessKey}, {@code secretKey}, {@code sessionToken})
 * work too. A changed file is read again, so that keys rotate without a restart; if it then cannot be read, or holds
 * half a change, the call fails. Safe for any thread; calls block.
 */
public final class CredentialsFile {
    private static final Logger LOG = LoggerFactory.getLogger(CredentialsFile.class);
    private static final long MAX_BYTES = 64 << 10;
    private static final String DEFAULT_SECTION = "default";

    private final Path path;

    @GuardedBy("this")
    private @Nullable Version read;

    @GuardedBy("this")
    private @Nullable AccessKeys keys;

    @GuardedBy("this")
    private boolean warned;

    /** The version of the file's content. */
    private record Version(
            long modifiedNanos, long bytes, @Nullable Object file) {}

    /** Names a file; nothing is read yet. */
    public CredentialsFile(Path path) {
        this.path = path;
    }

    /**
     * The keys that the file has now.
     *
     * @throws CloudMwException {@code STORE_DENIED} when there is no such file, or it holds no pair of keys
     */
    public synchronized AccessKeys keys() throws CloudMwException {
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            Version now = new Version(
                    attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS), attributes.size(), attributes.fileKey());
            AccessKeys known = keys;
            if (known != null && now.equals(read)) {
                return known;
            }
            if (attributes.size() > MAX_BYTES) {
                throw denied("it has " + attributes.size() + " bytes (expected: <= " + MAX_BYTES + ")", null);
            }
            AccessKeys parsed = parse(Files.readAllLines(path, StandardCharsets.UTF_8));
            warnOfReaders();
            keys = parsed;
            read = now;
            return parsed;
        } catch (IOException e) {
            throw e instanceof CloudMwException known ? known : denied(Reasons.of(e), e);
        } catch (IllegalArgumentException e) {
            throw denied(String.valueOf(e.getMessage()), e);
        }
    }

    private CloudMwException denied(String why, @Nullable Throwable cause) {
        return new CloudMwException(ErrorCode.STORE_DENIED, "credentials file " + path + ": " + why, cause);
    }

    @GuardedBy("this")
    private void warnOfReaders() throws IOException {
        if (!warned && isOpenToOthers()) {
            warned = true;
            LOG.warn("credentials file {}: other users can read it (expected: chmod 600)", path);
        }
    }

    private boolean isOpenToOthers() throws IOException {
        try {
            return Files.getPosixFilePermissions(path).stream()
                    .anyMatch(permission -> permission == PosixFilePermission.OTHERS_READ
                            || permission == PosixFilePermission.OTHERS_WRITE);
        } catch (UnsupportedOperationException e) {
            return false;
        }
    }

    /**
     * Reads the lines of such a file.
     *
     * @throws IllegalArgumentException when they hold no pair of keys; it names no value
     */
    static AccessKeys parse(List<String> lines) {
        Map<String, Map<String, String>> sections = new HashMap<>();
        String section = "";
        for (String line : lines) {
            String text = line.strip();
            if (text.startsWith("[") && text.endsWith("]")) {
                section = text.substring(1, text.length() - 1).strip();
                continue;
            }
            int split = text.indexOf('=');
            if (split < 0) {
                split = text.indexOf(':');
            }
            if (split > 0 && !text.startsWith("#") && !text.startsWith(";") && !text.startsWith("!")) {
                sections.computeIfAbsent(section, name -> new HashMap<>())
                        .put(
                                name(text.substring(0, split)),
                                text.substring(split + 1).strip());
            }
        }
        return keys(chosen(sections));
    }

    private static Map<String, String> chosen(Map<String, Map<String, String>> sections) {
        Map<String, String> chosen = sections.size() == 1
                ? sections.values().iterator().next()
                : sections.getOrDefault(DEFAULT_SECTION, Map.of());
        if (sections.size() > 1 && chosen.isEmpty()) {
            throw new IllegalArgumentException(
                    "it has " + sections.size()
                            + " sections (expected: one, or one called [default]; --profile chooses one of ~/.aws/credentials)");
        }
        return chosen;
    }

    private static AccessKeys keys(Map<String, String> values) {
        String id = values.getOrDefault("accesskeyid", values.getOrDefault("accesskey", ""));
        String secret = values.getOrDefault("secretaccesskey", values.getOrDefault("secretkey", ""));
        if (id.isEmpty() || secret.isEmpty()) {
            throw new IllegalArgumentException(
                    "it has no " + (id.isEmpty() ? "aws_access_key_id" : "aws_secret_access_key")
                            + " (expected: aws_access_key_id = ... and aws_secret_access_key = ...)");
        }
        return new AccessKeys(
                id, secret, Optional.ofNullable(values.get("sessiontoken")).filter(token -> !token.isEmpty()));
    }

    /** The key's name: {@code aws_access_key_id}, {@code aws.accessKeyId} and {@code accessKeyId} are the same. */
    private static String name(String key) {
        String plain = key.strip().toLowerCase(Locale.ROOT).replaceAll("[_.-]", "");
        return plain.startsWith("aws") ? plain.substring("aws".length()) : plain;
    }
}
