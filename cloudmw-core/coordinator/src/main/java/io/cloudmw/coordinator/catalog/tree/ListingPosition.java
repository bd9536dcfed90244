package io.cloudmw.coordinator.catalog.tree;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The position of a page in a directory listing. It names the last entry of the page before, so that each page costs
 * the same.
 *
 * @param directory the directory's number, which it keeps when it is renamed
 * @param after the last name of the page before; empty: from the start
 */
public record ListingPosition(long directory, String after) {
    /**
     * Parses a token.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when the token is malformed
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

    /** Returns the token of the page after this entry. */
    public String tokenAfter(DirectoryEntry last) {
        byte[] text = (directory + "/" + last.name()).getBytes(StandardCharsets.UTF_8);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text);
    }
}
