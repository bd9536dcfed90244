package io.cloudmw.core.grant;

import java.util.OptionalLong;

/**
 * A token as it is shown.
 *
 * @param id its name, which is no secret
 * @param createdMillis when it was made
 * @param expiresMillis when it ends; empty: never
 */
public record TokenInfo(String id, long createdMillis, OptionalLong expiresMillis) {}
