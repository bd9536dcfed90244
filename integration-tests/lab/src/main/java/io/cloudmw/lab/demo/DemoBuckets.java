package io.cloudmw.lab.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * The buckets of one demo, which keeps its objects below a prefix of its own. Closing deletes the objects and the
 * buckets that this demo made. Another process makes and deletes them, since this one has neither the AWS SDK nor
 * credentials.
 */
public final class DemoBuckets implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long LONGEST_SECONDS = 60;

    /**
     * A shell command that ignores Ctrl-C, which reaches all processes of a terminal, so that the child finishes its
     * work.
     */
    private static final String UNINTERRUPTED = "trap '' INT HUP; exec \"$@\"";

    /**
     * The location of the buckets.
     *
     * @param names three distinct names
     */
    public record Place(String endpoint, String region, List<String> names) {
        /**
         * Checks the values.
         *
         * @throws IllegalArgumentException when the names are not three distinct ones, or the endpoint is not a URL
         */
        public Place {
            names = List.copyOf(names);
            checkEndpoint(endpoint);
            if (names.size() != Demo.REPLICAS || Set.copyOf(names).size() != Demo.REPLICAS) {
                throw new IllegalArgumentException("--buckets: " + names + " (expected: three different ones)");
            }
            for (String name : names) {
                new Store.S3(new StoreId(name).value(), region, "", true, "");
            }
        }

        private static void checkEndpoint(String endpoint) {
            URI uri = URI.create(endpoint);
            boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (!http || uri.getHost() == null) {
                throw new IllegalArgumentException("--s3-endpoint: " + endpoint + " (expected: like http://host:port)");
            }
        }
    }

    private final Place place;
    private final Path launcher;
    private final PrintWriter out;
    private final String prefix = "cloudmw-demo-" + UUID.randomUUID() + "/";
    private List<String> made = List.of();
    private boolean kept;

    private DemoBuckets(Place place, Path launcher, PrintWriter out) {
        this.place = place;
        this.launcher = launcher;
        this.out = out;
    }

    /**
     * Checks that the buckets can be used, and creates missing ones.
     *
     * @param launcher the {@code cloudmw} script
     * @param out gets a message about objects that are deleted or kept at the end
     * @throws CloudMwException {@code STORE_DENIED} or {@code STORE_UNAVAILABLE} when a bucket cannot be used, in which
     *     case none is created
     */
    static DemoBuckets prepare(Place place, Path launcher, PrintWriter out) throws CloudMwException {
        DemoBuckets buckets = new DemoBuckets(place, launcher, out);
        List<String> made = new ArrayList<>();
        buckets.run(List.of()).path("made").forEach(name -> made.add(name.asText()));
        buckets.made = List.copyOf(made);
        return buckets;
    }

    /** Returns the stores of this demo. */
    List<Store> stores() {
        return place.names().stream()
                .map(name -> new Store(
                        new StoreId(name), name, new Store.S3(name, place.region(), place.endpoint(), true, prefix)))
                .toList();
    }

    /** Keeps the objects on close, and prints where they are. */
    void keep() {
        kept = true;
        say("keeping the objects " + prefix + "... in the buckets " + String.join(", ", place.names()));
    }

    /** Deletes the demo's objects and its buckets, and prints the result, or the remaining objects and the reason. */
    @Override
    public void close() {
        if (kept) {
            return;
        }
        List<String> more = new ArrayList<>(List.of("--erase"));
        made.forEach(name -> more.addAll(List.of("--made", name)));
        try {
            JsonNode answer = run(more);
            say("deleted " + answer.path("objects").asLong() + " objects from "
                    + (made.isEmpty()
                            ? "the buckets"
                            : "the buckets, and those that the demo made: " + String.join(", ", made)));
            answer.path("left")
                    .properties()
                    .forEach(left -> say(
                            "left: " + left.getKey() + ": " + left.getValue().asText()));
        } catch (CloudMwException e) {
            say("left: the objects " + prefix + "... in the buckets " + String.join(", ", place.names()) + ": "
                    + e.getMessage());
        }
    }

    private JsonNode run(List<String> more) throws CloudMwException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", UNINTERRUPTED, "sh", launcher.toString()));
        command.addAll(List.of("demo-buckets", "--json", "--endpoint", place.endpoint(), "--region", place.region()));
        command.addAll(List.of("--prefix", prefix));
        place.names().forEach(name -> command.addAll(List.of("--bucket", name)));
        command.addAll(more);
        return answer(said(command));
    }

    private String said(List<String> command) throws CloudMwException {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            // The answer fits into the pipe, so it can be read after the process has ended.
            if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return "";
            }
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "cannot start " + launcher + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "interrupted while demo-buckets was running", e);
        }
    }

    private static JsonNode answer(String said) throws CloudMwException {
        JsonNode answer;
        try {
            answer = JSON.readTree(said);
        } catch (JsonProcessingException e) {
            throw new CloudMwException(
                    ErrorCode.INTERNAL, "demo-buckets printed \"" + said + "\" (expected: one JSON object)", e);
        }
        if (!answer.isObject()) {
            throw new CloudMwException(
                    ErrorCode.DEADLINE_EXCEEDED, "demo-buckets did not answer within " + LONGEST_SECONDS + " s");
        }
        if (answer.has("error")) {
            JsonNode error = answer.path("error");
            throw new CloudMwException(
                    ErrorCode.valueOf(error.path("code").asText()),
                    error.path("message").asText());
        }
        return answer;
    }

    private void say(String what) {
        out.println(what);
        out.flush();
    }
}
