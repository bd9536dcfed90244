package io.cloudmw.helper.cli;

import io.cloudmw.coordinator.identity.AuthorityFile;
import io.cloudmw.coordinator.identity.AuthorityReplacement;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.Certificates;
import io.cloudmw.core.tls.TlsMaterial;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that makes, shows and replaces the authority of a cluster. */
@Command(
        name = "authority",
        mixinStandardHelpOptions = true,
        description = {
            "Make, show or replace the file of the cluster's authority, which signs certificates.",
            "STEP is create, show, prepare, switch or finish. A replacement is prepare, switch and finish: copy the file to"
                    + " all coordinators after each, and wait for the life of certificates (tls.certificate-life) before"
                    + " the next. Coordinators read the file again by themselves."
        })
final class AuthorityCommand implements Callable<Integer> {
    /** A step by its name. */
    enum Step {
        CREATE,
        SHOW,
        PREPARE,
        SWITCH,
        FINISH;

        /** The name on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(index = "0", paramLabel = "STEP", description = "create, show, prepare, switch, finish")
    private Step step = Step.SHOW;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "FILE",
            description = "the authority's file (tls.authority; default ~/.cloudmw/authority.pem)")
    private Path file = AuthorityFile.DEFAULT;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws CloudMwException {
        WallClock clock = WallClock.system();
        TlsMaterial material = switch (step) {
            case CREATE -> AuthorityReplacement.create(file, clock);
            case SHOW -> AuthorityReplacement.read(file);
            case PREPARE -> AuthorityReplacement.prepare(file, clock);
            case SWITCH -> AuthorityReplacement.switchOver(file, clock);
            case FINISH -> AuthorityReplacement.finish(file);
        };
        X509Certificate signing = material.own().orElseThrow().certificate();
        if (json) {
            List<Map<String, Object>> all = new ArrayList<>();
            material.authorities().forEach(one -> all.add(shown(one, one.equals(signing))));
            ServingProcess.print(System.out, Map.of("file", file.toString(), "authorities", all));
        } else {
            for (X509Certificate one : material.authorities()) {
                Map<String, Object> shown = shown(one, one.equals(signing));
                System.out.println(shown.get("fingerprint") + "  until " + shown.get("until") + "  "
                        + (one.equals(signing) ? "signs" : "trusted"));
            }
            next().ifPresent(System.out::println);
        }
        return 0;
    }

    /** The step after this one, for people. */
    private Optional<String> next() {
        return switch (step) {
            case CREATE, SHOW -> Optional.empty();
            case PREPARE -> Optional.of(afterRenewal("switch"));
            case SWITCH -> Optional.of(afterRenewal("finish"));
            case FINISH ->
                Optional.of("next: copy the file to the other coordinators; tokens that name the former authority"
                        + " are refused, \"cloudmw token create\" makes others");
        };
    }

    private String afterRenewal(String later) {
        return "next: copy the file to the other coordinators, wait until all certificates were renewed"
                + " (tls.certificate-life), then \"cloudmw authority " + later + " " + file + "\"";
    }

    private static Map<String, Object> shown(X509Certificate authority, boolean signs) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("fingerprint", Certificates.fingerprint(authority));
        shown.put("until", authority.getNotAfter().toInstant().toString());
        shown.put("signs", signs);
        return shown;
    }
}
