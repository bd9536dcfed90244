package io.cloudmw.core.grant;

import java.util.Optional;

/**
 * The answer to a client that asks who it is.
 *
 * @param cluster the cluster's name in certificates
 * @param subject empty: the cluster speaks plain text, and everybody may do everything
 * @param authority the fingerprint of the cluster's own authority; empty: it has none
 */
public record AccessInfo(String cluster, Optional<SubjectInfo> subject, Optional<String> authority) {}
