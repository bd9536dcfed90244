package io.cloudmw.core.identity;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.StoreIdentity;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The small object that marks a bucket as a store's: JSON, beside the chunks, under the store's prefix.
 *
 * @param identity with the cluster that uses the bucket
 */
public record BucketMarker(StoreId store, StoreIdentity identity) {
    /** Its key, after the store's prefix. No chunk has such a name. */
    public static final String NAME = "cloudmw-store.json";

    /** The most characters of a marker; a longer object is none. */
    public static final int MAX_LENGTH = 4096;

    private static final String FORMAT = "cloudmw-store 1";

    /** The written form. */
    public String text() {
        return String.format(
                "{\"format\":\"%s\",\"store\":\"%s\",\"identity\":\"%s\",\"cluster\":\"%s\"}%n",
                FORMAT, store, identity.value(), identity.cluster());
    }

    /**
     * Reads a marker.
     *
     * @throws CloudMwException {@code STORE_MISMATCH} when it is of an unknown form
     */
    public static BucketMarker parse(String text) throws CloudMwException {
        try {
            if (!value(text, "format").equals(FORMAT)) {
                throw new IllegalArgumentException("format: \"" + value(text, "format") + "\"");
            }
            return new BucketMarker(
                    new StoreId(value(text, "store")),
                    new StoreIdentity(value(text, "identity"), value(text, "cluster"), 0));
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(
                    ErrorCode.STORE_MISMATCH, NAME + " is of an unknown form (" + e.getMessage() + ")", e);
        }
    }

    private static String value(String text, String name) {
        Matcher found =
                Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"\\\\]*)\"").matcher(text);
        return found.find() ? found.group(1) : "";
    }
}
