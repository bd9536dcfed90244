package io.cloudmw.helper.cli;

import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The parser of stores on a command line. */
final class StoreDefinition {
    private static final String S3 = "s3://";
    private static final HelperId NOBODY = new HelperId("nobody");

    private StoreDefinition() {}

    /**
     * Parses a bucket, {@code ID=s3://BUCKET[/PREFIX][,region=R][,endpoint=URL][,path-style][,domain=LABEL]} with the
     * source of its credentials ({@code profile=}, {@code role-arn=} and {@code external-id=},
     * {@code credentials-file=}), or a disk, {@code ID=DIRECTORY}, without an owner.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT}
     */
    static Store parse(String option, String text) throws CloudMwException {
        Map.Entry<String, String> pair = ServerOptions.pair(option, "ID=s3://BUCKET[/PREFIX] or ID=DIRECTORY", text);
        try {
            StoreId id = new StoreId(pair.getKey());
            return pair.getValue().startsWith(S3)
                    ? bucket(id, pair.getValue().substring(S3.length()))
                    : new Store(id, id.value(), new Store.Disk(NOBODY, Path.of(pair.getValue())));
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, option + ": " + e.getMessage(), e);
        }
    }

    private static Store bucket(StoreId id, String text) {
        String[] fields = text.split(",", -1);
        int slash = fields[0].indexOf('/');
        String bucket = slash < 0 ? fields[0] : fields[0].substring(0, slash);
        String prefix = slash < 0 ? "" : fields[0].substring(slash + 1);
        String region = "us-east-1";
        String endpoint = "";
        String domain = "";
        boolean pathStyle = false;
        List<CredentialsReference> credentials = new ArrayList<>();
        String role = "";
        String externalId = "";
        for (int i = 1; i < fields.length; i++) {
            String field = fields[i];
            if (field.startsWith("region=")) {
                region = field.substring("region=".length());
            } else if (field.startsWith("endpoint=")) {
                endpoint = field.substring("endpoint=".length());
            } else if (field.startsWith("domain=")) {
                domain = field.substring("domain=".length());
            } else if (field.startsWith("profile=")) {
                credentials.add(new CredentialsReference.Profile(field.substring("profile=".length())));
            } else if (field.startsWith("role-arn=")) {
                role = field.substring("role-arn=".length());
            } else if (field.startsWith("external-id=")) {
                externalId = field.substring("external-id=".length());
            } else if (field.startsWith("credentials-file=")) {
                credentials.add(
                        new CredentialsReference.KeyFile(Path.of(field.substring("credentials-file=".length()))));
            } else if (field.equals("path-style")) {
                pathStyle = true;
            } else {
                throw new IllegalArgumentException("store " + id + ": \"" + field
                        + "\" (expected: region=, endpoint=, domain=, path-style, profile=, role-arn=, external-id=,"
                        + " credentials-file=)");
            }
        }
        String ending = prefix.isEmpty() || prefix.endsWith("/") ? prefix : prefix + "/";
        if (!role.isEmpty()) {
            credentials.add(new CredentialsReference.Role(role, externalId));
        }
        if (credentials.size() > 1 || (role.isEmpty() && !externalId.isEmpty())) {
            throw new IllegalArgumentException("store " + id
                    + ": credentials (expected: one of profile=, credentials-file=, role-arn=[,external-id=])");
        }
        CredentialsReference reference = credentials.isEmpty() ? CredentialsReference.chain() : credentials.get(0);
        return new Store(
                id,
                domain.isEmpty() ? region : domain,
                new Store.S3(bucket, region, endpoint, pathStyle, ending, reference));
    }
}
