package io.cloudmw.core.grant;

/**
 * The last time that a subject lost a right, a role or a token. Transfer tokens that were issued before are not good.
 *
 * @param millis when it was, by the clock of the coordinator that made the change
 * @param revision of the subjects with this change; 0: the change is not recorded yet
 */
public record Revocation(long millis, long revision) {}
