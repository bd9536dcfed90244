package io.cloudmw.core.wire;

import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.proto.v1.RoleReference;
import io.cloudmw.proto.v1.S3Store;
import java.util.Optional;

/** How processes get into stores, as messages. Stateless. */
public final class AccessWire {
    private AccessWire() {}

    /** Empty: the default chain. */
    static Optional<io.cloudmw.proto.v1.CredentialsReference> credentials(CredentialsReference reference) {
        io.cloudmw.proto.v1.CredentialsReference.Builder message =
                io.cloudmw.proto.v1.CredentialsReference.newBuilder();
        if (reference instanceof CredentialsReference.Profile profile) {
            message.setProfile(profile.name());
        } else if (reference instanceof CredentialsReference.Role role) {
            message.setRole(RoleReference.newBuilder().setArn(role.arn()).setExternalId(role.externalId()));
        } else if (reference instanceof CredentialsReference.KeyFile file) {
            message.setFile(file.path().toString());
        } else {
            return Optional.empty();
        }
        return Optional.of(message.build());
    }

    /** @throws IllegalArgumentException when it is malformed, or of a kind that this release does not know */
    static CredentialsReference credentials(S3Store message) {
        return message.hasCredentials() ? credentials(message.getCredentials()) : CredentialsReference.CHAIN;
    }

    private static CredentialsReference credentials(io.cloudmw.proto.v1.CredentialsReference message) {
        return switch (message.getKindCase()) {
            case PROFILE -> new CredentialsReference.Profile(message.getProfile());
            case ROLE ->
                new CredentialsReference.Role(
                        message.getRole().getArn(), message.getRole().getExternalId());
            case FILE -> new CredentialsReference.KeyFile(FromWire.path(message.getFile()));
            case KIND_NOT_SET ->
                throw new IllegalArgumentException("credentials: of no known kind (expected: profile, role or file)");
        };
    }
}
