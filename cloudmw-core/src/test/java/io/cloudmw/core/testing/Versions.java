package io.cloudmw.core.testing;

import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;

/** Made-up versions and segments for tests: a catalog does not look into segments. */
public final class Versions {
    private Versions() {}

    /** The segment {@code index} of a version; different for each. */
    public static byte[] segment(VersionId id, int index) {
        return (id + "#" + index).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }

    /** A new version of {@code path} with so many segments, whose digest is right. */
    public static FileVersion of(String path, int segments) {
        return of(FilePath.parse(path), VersionId.random(), segments, 1000);
    }

    public static FileVersion of(FilePath file, VersionId id, int segments, long committedAtMillis) {
        ManifestDigest digest = new ManifestDigest();
        for (int index = 0; index < segments; index++) {
            digest.add(ManifestDigest.ofSegment(segment(id, index)));
        }
        return new FileVersion(
                file, id, segments * 100L, segments * 10L, segments, 4096, committedAtMillis, digest.finish());
    }
}
