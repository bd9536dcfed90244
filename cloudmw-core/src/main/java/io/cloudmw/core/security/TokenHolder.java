package io.cloudmw.core.security;

/**
 * The process to which a transfer token is bound.
 *
 * @param identity the one in its certificate
 * @param issuedMillis when the coordinator issued the token, by its clock
 * @param revision of the subjects by which the coordinator allowed it; a revocation with a higher one came later
 */
public record TokenHolder(String identity, long issuedMillis, long revision) {}
