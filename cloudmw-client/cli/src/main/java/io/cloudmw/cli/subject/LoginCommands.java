package io.cloudmw.cli.subject;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.cli.command.GlobalOptions;
import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.CertificateFiles;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.grant.AccessInfo;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.SecretFiles;
import io.cloudmw.core.security.TokenFile;
import io.cloudmw.core.time.WallClock;
import java.io.Console;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The commands that keep a user's token, so that later commands act for its subject. */
public final class LoginCommands {
    private LoginCommands() {}

    @Command(
            name = "login",
            mixinStandardHelpOptions = true,
            description = {
                "Check a token at the coordinator and keep it: later commands of this user act for its subject.",
                "The token is in FILE, or else read from standard input; a terminal does not show it."
            })
    public static final class Login extends ClientCommand {
        @Parameters(index = "0", arity = "0..1", paramLabel = "FILE", description = "the file with the token")
        private @Nullable Path file;

        private @Nullable AccessToken token;

        public Login(CommandContext context) {
            super(context);
        }

        @Override
        protected CloudMwOptions applied(CloudMwOptions base) throws CloudMwException {
            AccessToken given = file == null ? typed(context) : TokenFile.read(file);
            token = given;
            return base.withSecurity(ClientSecurity.token(given.text()));
        }

        // A console that is no terminal, as JDK 22 and later have it, reads standard input, too.
        @SuppressWarnings("SystemConsoleNull")
        private static AccessToken typed(CommandContext context) throws CloudMwException {
            Console console = System.console();
            if (console != null) {
                char[] text = console.readPassword("Token: ");
                return AccessToken.parse(text == null ? "" : new String(text));
            }
            try {
                byte[] text = context.in().readNBytes(AccessToken.MAX_CHARACTERS + 2);
                return AccessToken.parse(new String(text, StandardCharsets.US_ASCII));
            } catch (IOException e) {
                throw new CloudMwException(
                        ErrorCode.LOCAL_IO, "standard input: the token cannot be read: " + Reasons.of(e), e);
            }
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            AccessInfo access = Calls.await(client.subjects().whoAmI());
            AccessToken checked = token;
            if (checked == null) {
                throw new IllegalStateException("the token was not read");
            }
            TokenFile.replace(TokenFile.OF_USER, checked);
            say(
                    "%s of cluster %s: token %s is kept in %s",
                    checked.subject(), access.cluster(), checked.id(), TokenFile.OF_USER);
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("cluster", access.cluster());
            answer.put("subject", checked.subject());
            answer.put("id", checked.id());
            answer.put("file", TokenFile.OF_USER.toString());
            return answer;
        }
    }

    @Command(
            name = "logout",
            mixinStandardHelpOptions = true,
            description =
                    "Delete the token that login keeps, and certificates. The token stays good; \"token revoke\" ends it.")
    public static final class Logout implements Callable<Integer> {
        private final CommandContext context;

        @Mixin
        private GlobalOptions options = new GlobalOptions();

        public Logout(CommandContext context) {
            this.context = context;
        }

        @Override
        public Integer call() throws Exception {
            boolean deleted;
            try {
                deleted = Files.deleteIfExists(TokenFile.OF_USER);
            } catch (IOException e) {
                throw new CloudMwException(
                        ErrorCode.LOCAL_IO,
                        "token file " + TokenFile.OF_USER + ": cannot be deleted: " + Reasons.of(e),
                        e);
            }
            new CertificateFiles(SecretFiles.CERTIFICATES, WallClock.system()).clear();
            if (options.json()) {
                context.out().printJson(Map.of("deleted", deleted));
            } else {
                context.out()
                        .println(
                                deleted ? "deleted " + TokenFile.OF_USER : "there is no token in " + TokenFile.OF_USER);
            }
            context.out().flush();
            return ExitCode.OK.value();
        }
    }
}
