package io.cloudmw.cli.subject;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.grant.AccessInfo;
import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.grant.GrantScope;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.grant.SubjectInfo;
import io.cloudmw.core.model.VolumeName;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about rights and roles. */
public final class GrantCommands {
    private GrantCommands() {}

    /** The scope that {@code VOLUME}, {@code VOLUME:/} or {@code VOLUME:/PATH} names. */
    private static GrantScope scope(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            return GrantScope.of(new VolumeName(text));
        }
        String path = text.substring(colon + 1);
        boolean ends = path.endsWith("/") && path.length() > 1;
        return new GrantScope(
                new VolumeName(text.substring(0, colon)), ends ? path.substring(0, path.length() - 1) : path);
    }

    private static Set<Right> rights(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .map(Right::parse)
                .collect(Collectors.toSet());
    }

    @Command(
            name = "grant",
            mixinStandardHelpOptions = true,
            description = "Give a subject rights in a volume or below a directory, or a role in the cluster.")
    public static final class Give extends ClientCommand {
        @Parameters(index = "0", paramLabel = "SUBJECT")
        private String subject = "";

        @Parameters(index = "1", arity = "0..1", paramLabel = "VOLUME[:/PATH]")
        private @Nullable String where;

        @Parameters(
                index = "2",
                arity = "0..1",
                paramLabel = "RIGHTS",
                description = "read, write, share, admin; several with commas. They replace those that it has there")
        private @Nullable String rights;

        @Option(
                names = "--role",
                paramLabel = "ROLE",
                description = "viewer (see the cluster), operator (stores and upkeep), or admin (everything)")
        private @Nullable String role;

        public Give(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            if ((role == null) == (where == null) || (where == null) != (rights == null)) {
                throw new IllegalArgumentException("grant: expected VOLUME[:/PATH] and RIGHTS, or --role ROLE");
            }
            SubjectInfo changed = role != null
                    ? Calls.await(client.subjects().setRole(subject, Optional.of(ClusterRole.parse(role))))
                    : Calls.await(client.subjects().grant(subject, scope(where), rights(rights)));
            SubjectReport.lines(changed).forEach(line -> say("%s", line));
            return SubjectReport.json(changed);
        }
    }

    @Command(
            name = "revoke",
            mixinStandardHelpOptions = true,
            description = "Take a subject's rights in a volume or below a directory, or its role in the cluster.")
    public static final class Revoke extends ClientCommand {
        @Parameters(index = "0", paramLabel = "SUBJECT")
        private String subject = "";

        @Parameters(index = "1", arity = "0..1", paramLabel = "VOLUME[:/PATH]")
        private @Nullable String where;

        @Option(names = "--role", description = "its role in the cluster")
        private boolean role;

        public Revoke(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            if (role == (where != null)) {
                throw new IllegalArgumentException("revoke: expected VOLUME[:/PATH], or --role");
            }
            SubjectInfo changed = where == null
                    ? Calls.await(client.subjects().setRole(subject, Optional.empty()))
                    : Calls.await(client.subjects().grant(subject, scope(where), Set.of()));
            SubjectReport.lines(changed).forEach(line -> say("%s", line));
            return SubjectReport.json(changed);
        }
    }

    @Command(name = "grants", mixinStandardHelpOptions = true, description = "List subjects with their rights.")
    public static final class Ls extends ClientCommand {
        @Parameters(
                index = "0",
                arity = "0..1",
                paramLabel = "VOLUME",
                description = "only those with rights in it (default: all subjects)")
        private @Nullable String volume;

        public Ls(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            List<SubjectInfo> all = Calls.await(
                    client.subjects().list(Optional.ofNullable(volume).map(VolumeName::new)));
            all.forEach(subject -> SubjectReport.lines(subject).forEach(line -> say("%s", line)));
            return Map.of("subjects", all.stream().map(SubjectReport::json).toList());
        }
    }

    @Command(
            name = "whoami",
            mixinStandardHelpOptions = true,
            description = "Tell for whom commands act here, and what that subject may do.")
    public static final class WhoAmI extends ClientCommand {
        public WhoAmI(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            AccessInfo access = Calls.await(client.subjects().whoAmI());
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("encrypted", access.subject().isPresent());
            if (access.subject().isEmpty()) {
                say("nobody: the cluster speaks plain text, and everybody may do everything");
                return answer;
            }
            answer.put("cluster", access.cluster());
            answer.put("subject", SubjectReport.json(access.subject().get()));
            say("%s of cluster %s", access.subject().get().name(), access.cluster());
            SubjectReport.lines(access.subject().get()).forEach(line -> say("%s", line));
            access.subject().get().tokens().forEach(token -> say("token %s", SubjectReport.line(token)));
            return answer;
        }
    }
}
