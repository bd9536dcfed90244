package io.cloudmw.hadoop;

/** The settings of the file system, in Hadoop's configuration. {@code docs/configuration.md} has the same table. */
public enum HadoopSetting {
    /** The coordinators of URIs that name none. */
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
    /** The read policy of streams that are opened without one. */
    READ_POLICY("read.policy", "adaptive"),
    /** Ranges of a vectored read that are no farther from each other are read together. */
    VECTORED_MERGE("vectored.merge", "128k"),
    /** The largest number of bytes that ranges of a vectored read are combined to. */
    VECTORED_LARGEST("vectored.largest", "2m"),
    /** The reads of one vectored read that are under way at once. */
    VECTORED_PARALLEL("vectored.parallel", "8"),
    /** The files that are written at once. */
    WRITE_STREAMS("write.streams", "128"),
    /** The bytes that a stream collects before it passes them on to be stored. */
    WRITE_BUFFER("write.buffer", "64k"),
    /** The size of the blocks in which jobs divide a file. */
    BLOCK_SIZE("block.size", "128m"),
    /** The removals of a recursive delete that are under way at once. */
    DELETE_PARALLEL("delete.parallel", "16"),
    /** The checksum of {@code getFileChecksum}. */
    CHECKSUM("checksum", "none"),
    /** Whether {@code hflush} and {@code hsync} throw; otherwise they are a {@code flush}. */
    SYNC_REFUSED("sync.refused", "false");

    /** The beginning of all keys. */
    public static final String PREFIX = "fs.cloudmw.";

    private final String name;
    private final String standard;

    HadoopSetting(String name, String standard) {
        this.name = name;
        this.standard = standard;
    }

    /** The key in Hadoop's configuration. */
    public String key() {
        return PREFIX + name;
    }

    /** The default, as text; empty: none. */
    public String standard() {
        return standard;
    }
}
