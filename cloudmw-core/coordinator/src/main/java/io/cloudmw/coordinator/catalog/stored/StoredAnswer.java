package io.cloudmw.coordinator.catalog.stored;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Snapshot;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import java.util.Optional;
import java.util.function.Function;

/** The stored form of a call's answer, which retries of the call get. Immutable. */
public final class StoredAnswer<T> {
    /** The form of an answer that need not be a version. */
    public static final StoredAnswer<Optional<FileVersion>> MAYBE_VERSION = new StoredAnswer<>(
            answer -> answer.map(StoredForms::version).orElse(new byte[0]),
            stored -> stored.length == 0 ? Optional.empty() : Optional.of(StoredForms.version(stored)));

    public static final StoredAnswer<FileVersion> VERSION =
            new StoredAnswer<>(StoredForms::version, StoredForms::version);
    public static final StoredAnswer<Attributes> ATTRIBUTES =
            new StoredAnswer<>(StoredForms::attributes, StoredForms::attributes);
    public static final StoredAnswer<Snapshot> SNAPSHOT =
            new StoredAnswer<>(StoredForms::snapshot, StoredForms::snapshot);
    public static final StoredAnswer<Store> STORE = new StoredAnswer<>(StoredForms::store, StoredForms::store);
    public static final StoredAnswer<Volume> VOLUME = new StoredAnswer<>(StoredForms::volume, StoredForms::volume);

    private final Encoding<T> encoding;
    private final Decoding<T> decoding;

    private StoredAnswer(Encoding<T> encoding, Decoding<T> decoding) {
        this.encoding = encoding;
        this.decoding = decoding;
    }

    /** Returns the form of another type, given conversions in both directions. */
    public <U> StoredAnswer<U> as(Function<U, T> from, Function<T, U> to) {
        return new StoredAnswer<>(answer -> encode(from.apply(answer)), stored -> to.apply(decode(stored)));
    }

    /** Returns the stored bytes. */
    public byte[] encode(T answer) {
        return encoding.encode(answer);
    }

    /**
     * Returns the answer.
     *
     * @throws CloudMwException {@code INTERNAL} when it cannot be read
     */
    public T decode(byte[] stored) throws CloudMwException {
        return decoding.decode(stored);
    }

    @FunctionalInterface
    private interface Encoding<T> {
        byte[] encode(T answer);
    }

    @FunctionalInterface
    private interface Decoding<T> {
        T decode(byte[] stored) throws CloudMwException;
    }
}
