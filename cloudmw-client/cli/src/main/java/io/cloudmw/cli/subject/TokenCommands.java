package io.cloudmw.cli.subject;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.CommandGroup;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.config.Durations;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.SubjectInfo;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.TokenFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about tokens. */
public final class TokenCommands {
    private TokenCommands() {}

    @Command(
            name = "token",
            mixinStandardHelpOptions = true,
            description = "Make, list and revoke the tokens by which applications and people act for a subject.")
    public static final class Group extends CommandGroup {}

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = "Make a token and print it. It is shown only now; the cluster keeps its hash.")
    public static final class Create extends ClientCommand {
        @Option(names = "--subject", required = true, paramLabel = "NAME", description = "for whom its bearer acts")
        private String subject = "";

        @Option(
                names = "--ttl",
                paramLabel = "TIME",
                description = "how long it is good, like 30d (default: until it is revoked)")
        private @Nullable String life;

        @Option(
                names = "--out",
                paramLabel = "FILE",
                description = "write it to this file, which only you can read, instead of printing it")
        private @Nullable Path out;

        public Create(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            Optional<Duration> time = Optional.ofNullable(life).map(Create::parsed);
            String text = Calls.await(client.subjects().createToken(subject, time));
            AccessToken token = AccessToken.parse(text);
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("subject", subject);
            answer.put("id", token.id());
            if (out == null) {
                say("%s", text);
                answer.put("token", text);
            } else {
                write(client, token, out);
                say("token %s of %s: in %s", token.id(), subject, out);
                answer.put("file", out.toString());
            }
            return answer;
        }

        private static Duration parsed(String life) {
            try {
                return Durations.parse(life);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("--ttl: \"" + life + "\" (expected: a time like 12h or 30d)", e);
            }
        }

        /** Writes the file; a token that nobody has is ended. */
        private static void write(CloudMw client, AccessToken token, Path file) throws Exception {
            boolean written = false;
            try {
                if (!TokenFile.create(file, token)) {
                    throw new CloudMwException(
                            ErrorCode.ALREADY_EXISTS,
                            "--out: there is a file " + file
                                    + " already (expected: a new name; \"token revoke\" ends the"
                                    + " token in a file that is given up)");
                }
                written = true;
            } finally {
                if (!written) {
                    var unused = Calls.await(client.subjects().revokeToken(token.subject(), Optional.of(token.id())));
                }
            }
        }
    }

    @Command(name = "ls", mixinStandardHelpOptions = true, description = "List the tokens of a subject.")
    public static final class Ls extends ClientCommand {
        @Parameters(index = "0", arity = "0..1", paramLabel = "SUBJECT", description = "default: all subjects")
        private @Nullable String subject;

        public Ls(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            List<SubjectInfo> all = Calls.await(client.subjects().list(Optional.empty())).stream()
                    .filter(one -> subject == null || one.name().equals(subject))
                    .toList();
            for (SubjectInfo one : all) {
                one.tokens().forEach(token -> say("%-24s %s", one.name(), SubjectReport.line(token)));
            }
            return Map.of("subjects", all.stream().map(SubjectReport::json).toList());
        }
    }

    @Command(
            name = "revoke",
            mixinStandardHelpOptions = true,
            description = "End a token: its bearers are refused within a second.")
    public static final class Revoke extends ClientCommand {
        @Parameters(index = "0", paramLabel = "SUBJECT")
        private String subject = "";

        @Parameters(index = "1", arity = "0..1", paramLabel = "ID", description = "as token ls shows it")
        private @Nullable String id;

        @Option(names = "--all", description = "all tokens of the subject")
        private boolean all;

        public Revoke(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            if (all == (id != null)) {
                throw new IllegalArgumentException("token revoke: expected ID, or --all");
            }
            SubjectInfo left = Calls.await(client.subjects().revokeToken(subject, Optional.ofNullable(id)));
            say("tokens of %s: %d", left.name(), left.tokens().size());
            return SubjectReport.json(left);
        }
    }
}
