package io.cloudmw.core.grant;

import java.util.List;
import java.util.Optional;

/**
 * A subject as it is shown.
 *
 * @param role in the cluster; empty: none
 */
public record SubjectInfo(String name, Optional<ClusterRole> role, List<Grant> grants, List<TokenInfo> tokens) {
    public SubjectInfo {
        grants = List.copyOf(grants);
        tokens = List.copyOf(tokens);
    }
}
