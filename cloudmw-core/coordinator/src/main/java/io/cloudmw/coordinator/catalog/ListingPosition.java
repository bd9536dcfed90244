package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Where a page of a directory begins: after a name, so that a page costs the same wherever it is.
 *
 * @param directory its number: it keeps it under another path
 * @param after the last name of the page before; empty: from the start
 */
public record ListingPosition(long directory, String after) {
    /**
     * Reads a token.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is none
     */
    static ListingPosition parse(String token) throws CloudMwException {
        try {
            String text = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
            int slash = text.indexOf('/');
            return new ListingPosition(
                    Long.parseLong(text.substring(0, Math.max(0, slash))), text.substring(slash + 1));
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "page token: malformed", e);
        }
    }

    /** The token of a page that begins after this name. */
    public String tokenAfter(DirectoryEntry last) {
        byte[] text = (directory + "/" + last.name()).getBytes(StandardCharsets.UTF_8);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text);
    }
}
