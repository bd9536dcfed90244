package io.cloudmw.cli.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.cloudmw.client.tree.RemotePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import java.util.LinkedHashMap;
import java.util.Map;

/** The JSON objects of {@code --json}. Their field names are frozen. */
public final class Json {
    /** The mapper writes amounts as plain decimals, never as 0E-9. */
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();

    private Json() {}

    public static String line(Map<String, ?> object) {
        try {
            return MAPPER.writeValueAsString(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("maps of plain values can be written", e);
        }
    }

    public static Map<String, Object> of(FileVersion version) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("file", version.file().toString());
        object.put("version", version.id().value());
        object.put("size_bytes", version.sizeBytes());
        object.put("chunks", version.chunkCount());
        object.put("committed_at_millis", version.committedAtMillis());
        object.put("manifest_sha256", version.manifestSha256());
        return object;
    }

    public static Map<String, Object> ofDirectory(RemotePath path) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("directory", path.volume() + ":" + path.path());
        path.snapshot().ifPresent(snapshot -> object.put("snapshot", snapshot));
        return object;
    }

    public static Map<String, Object> of(Volume volume) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("name", volume.name().value());
        if (volume.chunking() instanceof Chunking.ByCount count) {
            object.put("chunk_count", count.chunks());
        } else if (volume.chunking() instanceof Chunking.BySize size) {
            object.put("chunk_size_bytes", size.bytes());
        }
        object.put("leaf_size_bytes", volume.chunking().leafSizeBytes());
        object.put("replicas", volume.replicas());
        object.put("write_quorum", volume.writeQuorum());
        object.put("mode", volume.mode().label());
        object.put("rotate", volume.rotateReplicas());
        object.put("peers", volume.peers());
        volume.target().ifPresent(target -> object.put("target", target.toString()));
        object.put("stores", volume.stores().stream().map(StoreId::value).toList());
        object.put("generation", volume.generation());
        object.put("leaving", volume.leaving().stream().map(StoreId::value).toList());
        return object;
    }

    public static Map<String, Object> of(Store store) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("id", store.id().value());
        object.put("domain", store.failureDomain());
        if (store.kind() instanceof Store.S3 s3) {
            object.put("kind", "s3");
            object.put("bucket", s3.bucket());
            object.put("prefix", s3.prefix());
            object.put("region", s3.region());
            object.put("endpoint", s3.endpoint());
            object.put("credentials", s3.credentials().describe());
            object.put("sse", s3.encryption().mode().word());
            if (!s3.encryption().kmsKey().isEmpty()) {
                object.put("kms_key", s3.encryption().kmsKey());
            }
            if (s3.encryption().mode() == BucketEncryption.Mode.KMS) {
                object.put("bucket_key", s3.encryption().bucketKey());
            }
        } else if (store.kind() instanceof Store.Disk disk) {
            object.put("kind", "disk");
            object.put("owner", disk.owner().value());
            object.put("path", disk.path().toString());
        }
        return object;
    }
}
