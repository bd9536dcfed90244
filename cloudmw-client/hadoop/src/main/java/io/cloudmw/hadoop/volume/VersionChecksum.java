package io.cloudmw.hadoop.volume;

import io.cloudmw.client.CloudMw;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.FileVersion;
import java.io.IOException;
import org.apache.hadoop.fs.CompositeCrcFileChecksum;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.CrcComposer;
import org.apache.hadoop.util.CrcUtil;
import org.apache.hadoop.util.DataChecksum;

/**
 * The CRC32C of a version, composed of those that the catalog has of its parts: no store is read. HDFS has the same
 * checksum where {@code dfs.checksum.combine.mode} is {@code COMPOSITE_CRC}.
 */
public final class VersionChecksum {
    /** As HDFS has it; it does not change a composed checksum. */
    private static final int BYTES_PER_CRC = 512;

    private VersionChecksum() {}

    /** Composes the checksum of a version. */
    public static FileChecksum of(CloudMw client, Path path, FilePath file, FileVersion version) throws IOException {
        CrcComposer composer = CrcComposer.newCrcComposer(DataChecksum.Type.CRC32C, version.leafSizeBytes());
        for (int segment = 0; segment < version.segmentCount(); segment++) {
            for (Chunk chunk : HadoopErrors.await(path, client.files().locate(file, version.id(), segment))) {
                for (int leaf = 0; leaf < chunk.leaves().count(); leaf++) {
                    long left = chunk.range().length() - (long) leaf * chunk.leafSizeBytes();
                    composer.update(chunk.leaves().crc32c()[leaf], Math.min(left, chunk.leafSizeBytes()));
                }
            }
        }
        int crc = version.sizeBytes() == 0 ? 0 : CrcUtil.readInt(composer.digest(), 0);
        return new CompositeCrcFileChecksum(crc, DataChecksum.Type.CRC32C, BYTES_PER_CRC);
    }
}
