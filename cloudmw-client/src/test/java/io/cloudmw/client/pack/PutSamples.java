package io.cloudmw.client.pack;

import io.cloudmw.client.context.PutTerms;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Small puts, for tests. */
final class PutSamples {
    private PutSamples() {}

    /** The put of a local file that had this size when it was measured. */
    static SmallPut measured(Path source, long sizeBytes) {
        SmallPut put = SmallPut.single(
                FilePath.parse("data:/" + source.getFileName()),
                new LocalContent(source, OptionalLong.of(sizeBytes)),
                PutTerms.NONE,
                () -> {
                    throw new IllegalStateException("not put alone");
                });
        try {
            put.measure();
        } catch (CloudMwException e) {
            throw new IllegalStateException(e);
        }
        return put;
    }
}
