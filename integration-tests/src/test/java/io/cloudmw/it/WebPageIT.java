package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.ReadTarget;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.recording.RecordedRead;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.testing.TestPrograms;
import io.cloudmw.helper.standalone.HostedCoordinator;
import io.cloudmw.it.localstack.LocalStack;
import io.cloudmw.it.page.Browser;
import io.cloudmw.it.page.ReportingFleet;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.PlanReadRequest;
import io.cloudmw.proto.v1.RecordedAttempt;
import io.cloudmw.proto.v1.RecordedAttemptState;
import io.cloudmw.proto.v1.RecordedIssueReason;
import io.cloudmw.proto.v1.RecordedReadState;
import io.cloudmw.proto.v1.RecordingGrpc;
import io.cloudmw.proto.v1.ReportReadRequest;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/**
 * Tests of the coordinator's web page in Chromium. Where there is none, the tests that need it are skipped with a
 * message, unless {@code CLOUDMW_REQUIRE_CHROMIUM=1}.
 */
final class WebPageIT {
    private static final String REQUIRED = "cloudmw.require.chromium";
    private static final int MIB = 1 << 20;
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final String HOSTILE = "<script>document.title='owned'</script>\"'&\u202Egpj.exe";
    private static final String SHOWN = "<script>document.title='owned'</script>\"'&<U+202E>gpj.exe";

    private static @Nullable Browser shared;

    @TempDir
    private Path directory;

    private static Browser browser() {
        Browser open = shared;
        if (open == null) {
            open = new Browser(program("chromium"), program("chromedriver"));
            shared = open;
        }
        open.prefer(false);
        open.size(1280, 900);
        // The page of the test before asks for its coordinator, which has gone.
        open.open("about:blank");
        List<String> unusedConsole = open.console();
        List<String> unusedRequests = open.requests();
        return open;
    }

    private static Path program(String name) {
        return TestPrograms.require(
                name,
                "[web page] not tested in a browser: no " + name
                        + " on PATH (Debian has it in the packages chromium and chromium-driver)",
                "CLOUDMW_REQUIRE_CHROMIUM",
                LocalStack.setting(REQUIRED).isPresent());
    }

    @AfterAll
    static void closeBrowser() {
        if (shared != null) {
            shared.close();
            shared = null;
        }
    }

    private HostedCoordinator coordinator(Map<String, String> more) throws IOException {
        Map<String, String> settings = new HashMap<>(Map.of(
                "tls.insecure", "true",
                "coordinator.listen", "127.0.0.1:0",
                "coordinator.data-dir", directory.resolve("coordinator").toString(),
                "cluster.secret-file", secret().toString(),
                "coordinator.http.listen", "127.0.0.1:0",
                "coordinator.helper-ttl", "10m"));
        settings.putAll(more);
        return HostedCoordinator.start(settings);
    }

    private Path secret() {
        return directory.resolve("secret");
    }

    private static String origin(HostedCoordinator coordinator) {
        return "http://" + coordinator.http().orElseThrow();
    }

    private static JsonNode api(String origin, String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = HTTP.send(
                HttpRequest.newBuilder(URI.create(origin + path)).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return new ObjectMapper().readTree(answer.body());
    }

    private static List<String> texts(JsonNode rows, String field) {
        return StreamSupport.stream(rows.spliterator(), false)
                .map(row -> row.path(field).asText())
                .toList();
    }

    private static void open(Browser browser, String origin) {
        browser.open(origin + "/");
        await().until(() -> browser.text("#live").equals("live"));
    }

    /** Returns the value of a tile. */
    private static String tile(Browser browser, String name) {
        return String.valueOf(browser.run(
                "return [...document.querySelectorAll('#tiles > div')]"
                        + ".find(tile => tile.querySelector('dt').textContent === arguments[0])"
                        + "?.querySelector('dd span').textContent ?? ''",
                name));
    }

    /** Returns the texts of a column of a table on the page. */
    private static List<String> column(Browser browser, String table, int number) {
        return browser.texts("#" + table + " tbody td:nth-child(" + number + ")");
    }

    private static void assertClean(Browser browser, String origin) throws IOException {
        assertThat(browser.console()).isEmpty();
        List<String> foreign = new ArrayList<>();
        for (String event : browser.requests()) {
            String url = new ObjectMapper()
                    .readTree(event)
                    .at("/message/params/request/url")
                    .asText();
            if (url.startsWith("http") && !url.startsWith(origin + "/")) {
                foreign.add(url);
            }
        }
        assertThat(foreign).isEmpty();
        assertThat(browser.driver().getTitle()).startsWith("CloudMW");
    }

    private static void assertFits(Browser browser, int width) {
        for (boolean dark : List.of(true, false)) {
            browser.prefer(dark);
            browser.size(width, 800);
            await().until(() -> browser.run("return window.innerWidth").equals((long) width));
            await().untilAsserted(() -> assertThat(browser.run("const page = document.documentElement;"
                            + "return page.scrollWidth <= page.clientWidth ? '' : [...document.querySelectorAll('main *')]"
                            + ".filter(e => e.getBoundingClientRect().right > page.clientWidth + 1)"
                            + ".map(e => e.tagName + '.' + e.className).slice(0, 5).join(' ')"))
                    .isEqualTo(""));
            assertThat(browser.run("return getComputedStyle(document.body).backgroundColor"))
                    .isEqualTo(dark ? "rgb(14, 18, 23)" : "rgb(246, 247, 249)");
        }
    }

    @Test
    void pageAndDataAreServedWithoutABrowser() throws Exception {
        try (HostedCoordinator coordinator = coordinator(Map.of());
                ReportingFleet fleet = new ReportingFleet(coordinator.address(), secret(), 3, 2)) {
            String origin = origin(coordinator);
            HttpResponse<String> page = HTTP.send(
                    HttpRequest.newBuilder(URI.create(origin + "/")).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(page.body()).contains("page.js").doesNotContain("://");
            JsonNode snapshot = api(origin, "/api/snapshot");
            assertThat(snapshot.at("/totals/helpersAlive").asInt()).isEqualTo(fleet.helpers());
            assertThat(texts(snapshot.path("helpers"), "id"))
                    .containsExactly(ReportingFleet.helper(1), ReportingFleet.helper(2), ReportingFleet.helper(3));
            assertThat(texts(snapshot.path("stores"), "id"))
                    .containsExactly(ReportingFleet.store(1), ReportingFleet.store(2));
            assertThat(snapshot.at("/stores/0/firstByteMicros")).hasSize(9);
            assertThat(api(origin, "/api/reads")).isEmpty();
        }
    }

    @Test
    void pageShowsWhatTheDataSaysAndFollowsAKilledHelper() throws Exception {
        Browser browser = browser();
        try (Fleet fleet = Fleet.hosted(
                directory.resolve("fleet"),
                Map.of("coordinator.http.listen", "127.0.0.1:0", "coordinator.helper-ttl", "10m"),
                "helper-3")) {
            fleet.startDiskHelpers(3, "");
            String origin = "http://" + fleet.coordinatorHttp();
            FilePath file = new FilePath(
                    fleet.in(Mode.COOPERATIVE).volume("v", new Chunking.BySize(MIB), 2, Fleet.disks(1, 2)), "/film");
            fleet.put(fleet.file("source", 6 * MIB), file);
            fleet.get(file, fleet.target("back"));
            open(browser, origin);

            await().untilAsserted(() -> {
                JsonNode snapshot = api(origin, "/api/snapshot");
                assertThat(snapshot.path("reads")).isNotEmpty();
                assertThat(snapshot.at("/reads/0/state").asText()).isEqualTo(RecordedRead.State.DELIVERED.name());
                assertThat(tile(browser, "Helpers alive"))
                        .isEqualTo(snapshot.at("/totals/helpersAlive").asText());
                assertThat(tile(browser, "Stores available"))
                        .isEqualTo(snapshot.at("/totals/storesAvailable").asText());
                assertThat(column(browser, "helpers-table", 2)).isEqualTo(texts(snapshot.path("helpers"), "id"));
                assertThat(column(browser, "stores-table", 2)).isEqualTo(texts(snapshot.path("stores"), "id"));
                assertThat(column(browser, "volumes-table", 2)).isEqualTo(texts(snapshot.path("volumes"), "name"));
                assertThat(column(browser, "reads-table", 2)).containsExactly("v:/film");
                assertThat(column(browser, "reads-table", 1)).containsExactly("delivered");
                JsonNode read =
                        api(origin, "/api/reads/" + snapshot.at("/reads/0/id").asText());
                assertThat(browser.text("#timeline h3")).isEqualTo("v:/film");
                assertThat(String.valueOf(browser.run("return document.querySelector('.lanes canvas').ariaLabel")))
                        .contains(read.path("attempts").size() + " attempts");
                assertThat(browser.texts("#timeline .facts li"))
                        .contains("attempts issued " + read.path("attempts").size())
                        .contains("begun "
                                + StreamSupport.stream(read.path("attempts").spliterator(), false)
                                        .filter(attempt ->
                                                attempt.path("beganNanos").asLong() >= 0)
                                        .count());
            });
            assertThat(browser.texts("#problems:not([hidden]) li")).isEmpty();

            // Its lease holds for longer than this test waits: the end of its connection counts.
            fleet.helper(3).kill();

            await().until(() -> tile(browser, "Helpers alive").equals("2"));
            assertThat(column(browser, "helpers-table", 2)).startsWith("helper-3");
            assertThat(column(browser, "helpers-table", 1)).startsWith("away");
            assertThat(column(browser, "stores-table", 2)).startsWith("disk-3");
            assertThat(browser.texts("#problem-list li")).contains("Helper away: helper-3");
            assertClean(browser, origin);
        }
    }

    @Test
    void partsOfThePageClaimNothingThatIsNotKnown() throws Exception {
        Browser browser = browser();
        try (HostedCoordinator coordinator = coordinator(Map.of())) {
            String origin = origin(coordinator);
            open(browser, origin);
            await().until(() -> column(browser, "helpers-table", 1).equals(List.of("No helper has registered.")));
            // The tiles come once this coordinator does upkeep.
            await().until(() ->
                    browser.texts("#upkeep div:last-child small").equals(List.of("no periodic round has begun yet")));

            assertThat(browser.run("return import('/table.js').then(({DataTable}) => {"
                            + "const place = document.createElement('div');"
                            + "const table = new DataTable(place, {caption: 'c', columns: [{title: 't'}], empty: 'None.'});"
                            + "const before = place.querySelector('td').textContent;"
                            + "table.show([]);"
                            + "return [before, place.querySelector('td').textContent]; })"))
                    .isEqualTo(List.of("Loading…", "None."));
            assertThat(browser.run("return import('/charts.js').then(({SpeedChart}) => {"
                            + "const chart = new SpeedChart(document.getElementById('speed-chart'));"
                            + "[1000, 1001, 1050].forEach(time => chart.add(time, 5, 6));"
                            + "return Promise.resolve().then(() => {" // after the chart has drawn
                            + "const {min, max} = chart.chart.plot.scales.x;"
                            + "return [chart.bytes, [min, max]]; }); })"))
                    .as("a gap of time is a gap of the line, and a minute is shown at least")
                    .isEqualTo(List.of(Arrays.asList(5L, 5L, null, 5L), List.of(990L, 1050L)));
            assertClean(browser, origin);
        }
    }

    @Test
    void tokenIsAskedForAndOpensThePage() throws Exception {
        Browser browser = browser();
        Path token = Files.createFile(
                directory.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "correct-horse-battery\n");
        try (HostedCoordinator coordinator = coordinator(Map.of("coordinator.http.token-file", token.toString()))) {
            String origin = origin(coordinator);
            browser.open(origin + "/");
            assertThat(browser.driver().getTitle()).contains("log in");
            browser.driver().findElement(By.id("token")).sendKeys("wrong", Keys.ENTER);
            await().until(() -> browser.text(".wrong").equals("This is not the token."));
            browser.driver().findElement(By.id("token")).sendKeys("correct-horse-battery", Keys.ENTER);
            await().until(() -> browser.text("#live").equals("live"));
            assertThat(browser.run("return document.cookie"))
                    .as("scripts do not see it")
                    .isEqualTo("");
        }
    }

    @Test
    void largeFleetAndHostileNamesAreShown() throws Exception {
        Browser browser = browser();
        try (HostedCoordinator coordinator = coordinator(Map.of());
                ReportingFleet fleet = new ReportingFleet(coordinator.address(), secret(), 1000, 200)) {
            String origin = origin(coordinator);
            record(coordinator.address());
            open(browser, origin);

            await().until(() -> tile(browser, "Helpers alive").equals(Integer.toString(fleet.helpers())));
            assertThat(tile(browser, "Stores available")).isEqualTo("200");
            assertThat(column(browser, "helpers-table", 2)).hasSize(25).startsWith(ReportingFleet.helper(1));
            browser.driver().findElement(By.cssSelector("#helpers-table input")).sendKeys("helper-0777");
            await().until(() -> column(browser, "helpers-table", 2).equals(List.of(ReportingFleet.helper(777))));
            browser.driver()
                    .findElement(By.cssSelector("#stores-table th:nth-child(7) button"))
                    .sendKeys(Keys.ENTER);
            await().untilAsserted(() -> assertThat(
                            column(browser, "stores-table", 2).get(0))
                    .as("the slowest store is first")
                    .isEqualTo(slowest(api(origin, "/api/snapshot").path("stores"))));
            assertThat(browser.text("#store-detail h3")).isNotEmpty();

            assertThat(browser.text("#timeline h3")).isEqualTo("v:/" + SHOWN);
            assertThat(column(browser, "reads-table", 2)).containsExactly("v:/" + SHOWN);
            assertThat(browser.text("#timeline .banner")).isEqualTo(SHOWN);
            assertThat(browser.texts("#timeline .legend li"))
                    .contains("won", "hand-over, won", "hedge, won", "cancelled", "failed", "waiting");
            browser.driver().findElement(By.cssSelector("#timeline summary")).sendKeys(Keys.ENTER);
            await().until(() -> browser.texts("#timeline tbody td:nth-child(2)").contains(SHOWN));
            browser.driver().findElement(By.cssSelector(".lanes canvas")).sendKeys(Keys.ARROW_RIGHT);
            await().until(() -> browser.text(".attempt").contains("by " + SHOWN + " from " + ReportingFleet.store(1)));

            assertFits(browser, 390);
            assertFits(browser, 1280);
            assertClean(browser, origin);
        }
    }

    private static String slowest(JsonNode stores) {
        String id = "";
        long most = -1;
        for (JsonNode store : stores) {
            long p99 = store.at("/firstByteMicros/7").asLong(-1);
            if (p99 > most) {
                most = p99;
                id = store.path("id").asText();
            }
        }
        return id;
    }

    /** Records a failed read of a file with a hostile name, with as many attempts as a record can have. */
    private static void record(HostPort coordinator) throws Exception {
        VolumeName volume = new VolumeName("v");
        FilePath file = new FilePath(volume, "/" + HOSTILE);
        try (CloudMw client = CloudMw.connect(coordinator.toString())) {
            List<StoreId> stores = List.of(new StoreId(ReportingFleet.store(1)), new StoreId(ReportingFleet.store(2)));
            client.volumes()
                    .create(new Volume(
                            volume,
                            new Chunking.ByCount(1),
                            2,
                            stores,
                            1,
                            Mode.HEDGED,
                            false,
                            0,
                            Optional.of(ReadTarget.parse("p99 of 1MiB under 10ms"))))
                    .join();
            var unused = client.files()
                    .put(InputStream.nullInputStream(), 0, file, PutOptions.defaults())
                    .join();
        }
        ManagedChannel channel = NettyChannelBuilder.forAddress(coordinator.host(), coordinator.port())
                .usePlaintext()
                .build();
        try {
            String id = CoordinatorGrpc.newBlockingStub(channel)
                    .withInterceptors(VersionHandshake.client())
                    .planRead(PlanReadRequest.newBuilder()
                            .setVolume("v")
                            .setPath(file.path())
                            .setRecordable(true)
                            .build())
                    .getRecordId();
            assertThat(RecordingGrpc.newBlockingStub(channel)
                            .withInterceptors(VersionHandshake.client())
                            .reportRead(ReportReadRequest.newBuilder()
                                    .setRecordId(id)
                                    .setWantedBytes(RecordedRead.MAX_ATTEMPTS * (long) MIB)
                                    .setElapsedNanos(RecordedRead.MAX_ATTEMPTS * 1_000_000L)
                                    .setState(RecordedReadState.RECORDED_READ_STATE_FAILED)
                                    .setError(HOSTILE)
                                    .addAllAttempts(attempts())
                                    .build())
                            .getDropped())
                    .isFalse();
        } finally {
            channel.shutdownNow();
        }
    }

    private static List<RecordedAttempt> attempts() {
        List<RecordedAttempt> attempts = new ArrayList<>();
        for (int i = 0; i < RecordedRead.MAX_ATTEMPTS; i++) {
            RecordedIssueReason[] reasons = {
                RecordedIssueReason.RECORDED_ISSUE_REASON_PLANNED,
                RecordedIssueReason.RECORDED_ISSUE_REASON_HEDGE,
                RecordedIssueReason.RECORDED_ISSUE_REASON_HAND_OVER
            };
            RecordedAttemptState[] states = {
                RecordedAttemptState.RECORDED_ATTEMPT_STATE_FINISHED,
                RecordedAttemptState.RECORDED_ATTEMPT_STATE_FINISHED,
                RecordedAttemptState.RECORDED_ATTEMPT_STATE_CANCELLED,
                RecordedAttemptState.RECORDED_ATTEMPT_STATE_FAILED,
                RecordedAttemptState.RECORDED_ATTEMPT_STATE_QUEUED
            };
            RecordedAttemptState state = states[i % states.length];
            boolean won = state == RecordedAttemptState.RECORDED_ATTEMPT_STATE_FINISHED;
            boolean queued = state == RecordedAttemptState.RECORDED_ATTEMPT_STATE_QUEUED;
            long issued = i * 1_000_000L;
            attempts.add(RecordedAttempt.newBuilder()
                    .setChunkIndex(i)
                    .setBlockId(i)
                    .setLength(MIB)
                    .setRacer(i % 4 == 0 ? HOSTILE : "helper-" + i % 4)
                    .setStoreId(ReportingFleet.store(1 + i % 2))
                    .setReason(reasons[i % reasons.length])
                    .setState(state)
                    .setIssuedNanos(issued)
                    .setBeganNanos(queued ? 0 : issued + 1_000_000)
                    .setEndedNanos(queued ? 0 : issued + 5_000_000)
                    .setFetchedBytes(queued ? 0 : MIB)
                    .setWonBytes(won ? MIB : 0)
                    .build());
        }
        return attempts;
    }
}
