package io.cloudmw.core.wire;

import com.google.protobuf.InvalidProtocolBufferException;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Attributes;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.Volume;

/**
 * How a catalog keeps the domain's values as bytes: their messages, so that a later release that adds a field reads what
 * an earlier one wrote. Reading back what is not of that form throws {@code INTERNAL}: the catalog itself wrote it.
 */
public final class StoredForms {
    private StoredForms() {}

    public static byte[] volume(Volume volume) {
        return ToWire.volume(volume).toByteArray();
    }

    public static Volume volume(byte[] bytes) throws CloudMwException {
        return read("volume", () -> FromWire.volume(io.cloudmw.proto.v1.Volume.parseFrom(bytes)));
    }

    public static byte[] store(Store store) {
        return ToWire.store(store).toByteArray();
    }

    public static Store store(byte[] bytes) throws CloudMwException {
        return read("store", () -> FromWire.store(io.cloudmw.proto.v1.Store.parseFrom(bytes)));
    }

    public static byte[] version(FileVersion version) {
        return ToWire.version(version).toByteArray();
    }

    public static FileVersion version(byte[] bytes) throws CloudMwException {
        return read("version", () -> FromWire.version(io.cloudmw.proto.v1.FileVersion.parseFrom(bytes)));
    }

    public static byte[] attributes(Attributes attributes) {
        return ToWire.attributes(attributes).toByteArray();
    }

    public static Attributes attributes(byte[] bytes) throws CloudMwException {
        return read("attributes", () -> FromWire.attributes(io.cloudmw.proto.v1.Attributes.parseFrom(bytes)));
    }

    private static <T> T read(String what, Reading<T> reading) throws CloudMwException {
        try {
            return reading.run();
        } catch (InvalidProtocolBufferException | CloudMwException e) {
            throw new CloudMwException(
                    ErrorCode.INTERNAL, "catalog: a stored " + what + " cannot be read: " + e.getMessage(), e);
        }
    }

    @FunctionalInterface
    private interface Reading<T> {
        T run() throws InvalidProtocolBufferException, CloudMwException;
    }
}
