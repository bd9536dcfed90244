package io.cloudmw.iceberg;

import java.util.Arrays;
import java.util.Optional;

/** The settings of the file I/O, as properties of a catalog. {@code docs/iceberg.md} has the same table. */
public enum IcebergSetting {
    /** The coordinators of locations that name none. */
    COORDINATOR("coordinator", ""),
    /** The longest time of one call while no coordinator answers. */
    COORDINATOR_TIMEOUT("coordinator.timeout", "30s"),
    /** The file of the token that says for whom the process acts; without it, as {@code ClientSecurity.byDefault}. */
    TOKEN_FILE("token.file", ""),
    /** Whether connections are in plain text. */
    INSECURE("insecure", "false"),
    /** The place of this process: data of switches is read through the nearest one. */
    LOCATION("location", ""),
    /** The path by which reads get their bytes. */
    READ_PATH("read.path", "auto"),
    /** The largest number of bytes that all reads have in flight. */
    MEMORY("memory", "64m"),
    /** The largest number of bytes that one read has in flight. */
    MEMORY_PER_READ("memory.per-read", "16m"),
    /** The largest number of bytes that are read ahead, and kept, for all streams together. */
    READ_AHEAD_MEMORY("readahead.memory", "64m"),
    /** Ranges of a vectored read that are no farther from each other are read together. */
    VECTORED_MERGE("vectored.merge", "128k"),
    /** The largest number of bytes that ranges of a vectored read are combined to. */
    VECTORED_LARGEST("vectored.largest", "2m"),
    /** The reads of one vectored read that are under way at once. */
    VECTORED_PARALLEL("vectored.parallel", "8"),
    /** The files that are stored at once while they are written; the bytes of more are staged. */
    WRITE_STREAMS("write.streams", "128"),
    /** The bytes that a stream collects before it passes them on to be stored. */
    WRITE_BUFFER("write.buffer", "64k"),
    /** The largest number of bytes that a stream keeps on the local disk while too many others are stored. */
    WRITE_STAGING("write.staging", "4g"),
    /** The removals of a bulk or prefix delete that are under way at once. */
    DELETE_PARALLEL("delete.parallel", "16");

    /** The beginning of all keys. */
    public static final String PREFIX = "cloudmw.";

    private final String name;
    private final String standard;

    IcebergSetting(String name, String standard) {
        this.name = name;
        this.standard = standard;
    }

    /** The key of the property. */
    public String key() {
        return PREFIX + name;
    }

    /** The default, as text; empty: none. */
    public String standard() {
        return standard;
    }

    static Optional<IcebergSetting> find(String key) {
        return Arrays.stream(values()).filter(each -> each.key().equals(key)).findFirst();
    }
}
