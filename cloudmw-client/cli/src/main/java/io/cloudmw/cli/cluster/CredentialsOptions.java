package io.cloudmw.cli.cluster;

import io.cloudmw.core.access.CredentialsReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that tell the coordinator and the helpers where to find the credentials of a bucket. */
final class CredentialsOptions {
    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description = "a profile of the AWS configuration of the coordinator and of the helpers")
    private @Nullable String profile;

    @Option(
            names = "--role-arn",
            paramLabel = "ARN",
            description = "a role that the coordinator and the helpers assume with their own credentials")
    private @Nullable String roleArn;

    @Option(names = "--external-id", paramLabel = "ID", description = "as the role's trust policy demands it")
    private @Nullable String externalId;

    @Option(
            names = "--credentials-file",
            paramLabel = "FILE",
            description =
                    "a file with a pair of keys on the machines of the coordinator and of the helpers; read again when it"
                            + " changes")
    private @Nullable String file;

    /**
     * Returns the given reference; empty without any option.
     *
     * @throws IllegalArgumentException when more than one place is named
     */
    Optional<CredentialsReference> reference() {
        List<CredentialsReference> given = new ArrayList<>();
        if (profile != null) {
            given.add(new CredentialsReference.Profile(profile));
        }
        if (roleArn != null) {
            given.add(new CredentialsReference.Role(roleArn, externalId == null ? "" : externalId));
        } else if (externalId != null) {
            throw new IllegalArgumentException("--external-id: given without --role-arn");
        }
        if (file != null) {
            given.add(new CredentialsReference.KeyFile(Path.of(file)));
        }
        if (given.size() > 1) {
            throw new IllegalArgumentException("credentials: " + given.size()
                    + " places (expected: one of --profile, --role-arn and --credentials-file)");
        }
        return given.stream().findFirst();
    }
}
