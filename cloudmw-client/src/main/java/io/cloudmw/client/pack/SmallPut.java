package io.cloudmw.client.pack;

import io.cloudmw.client.context.PutTerms;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.PutCondition;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A put that shares a pack, or waits for one. Safe for any thread. */
final class SmallPut {
    /**
     * The file as it is committed.
     *
     * @param version empty: any new id
     * @param condition the version that the path must name; empty: any, or none
     * @param created attributes given to the file if the put creates it
     * @param set attributes that the file has afterwards in any case
     */
    private record Target(
            FilePath path,
            Optional<VersionId> version,
            Optional<PutCondition> condition,
            Attributes created,
            Map<String, String> set) {}

    private final Target target;
    private final VersionId ownVersion;
    private final SmallSource source;
    private final Supplier<CompletableFuture<PutReceipt>> alone;
    private final SharedCall<PutReceipt> call = new SharedCall<>();
    private volatile long sizeBytes = -1;

    private SmallPut(Target target, SmallSource source, Supplier<CompletableFuture<PutReceipt>> alone) {
        this.target = target;
        this.source = source;
        this.alone = alone;
        ownVersion = target.version().orElseGet(VersionId::random);
        call.whenEnded(source::close);
    }

    /**
     * Makes the put of one of the many files of a call.
     *
     * @param alone puts the file by itself
     */
    static SmallPut ofMany(FilePut file, Supplier<CompletableFuture<PutReceipt>> alone) {
        return new SmallPut(
                new Target(file.target(), Optional.of(file.version()), file.condition(), file.created(), file.set()),
                new LocalContent(file.source(), file.sizeBytes()),
                alone);
    }

    /**
     * Makes the put of a file that has a call of its own.
     *
     * @param terms without locks
     * @param alone puts the file by itself
     */
    static SmallPut single(
            FilePath path, SmallSource source, PutTerms terms, Supplier<CompletableFuture<PutReceipt>> alone) {
        return new SmallPut(
                new Target(path, Optional.empty(), terms.condition(), terms.attributes(), Map.of()), source, alone);
    }

    FilePath path() {
        return target.path();
    }

    /** Returns whether the file has a call of its own. Its version may have any id, also that of a placement. */
    boolean isSingle() {
        return target.version().isEmpty();
    }

    /** The id of the new version, unless it is that of a placement for this file. */
    VersionId version() {
        return ownVersion;
    }

    Optional<PutCondition> condition() {
        return target.condition();
    }

    Attributes created() {
        return target.created();
    }

    Map<String, String> set() {
        return target.set();
    }

    SmallSource source() {
        return source;
    }

    /** Puts the file by itself. */
    CompletableFuture<PutReceipt> alone() {
        return alone.get();
    }

    /** Measures the source, before the put is queued. Blocks. */
    void measure() throws CloudMwException {
        sizeBytes = source.measure();
    }

    /** The size of the source when it was measured; negative before. */
    long sizeBytes() {
        return sizeBytes;
    }

    /** The caller's; a cancelled put is left out of the commit. */
    SharedCall<PutReceipt> call() {
        return call;
    }
}
