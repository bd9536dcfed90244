package io.cloudmw.it;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Timer;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.BaseStream;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Rules of the architecture: dependencies between packages, sizes of packages, and calls reserved for one package. */
@AnalyzeClasses(
        packages = "io.cloudmw",
        importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.ProductOnly.class})
final class ArchitectureTest {
    @ArchTest
    static final ArchRule packagesFormNoCycles = slices().matching("io.cloudmw.(**)")
            .namingSlices("$1")
            .as("packages")
            .should()
            .beFreeOfCycles();

    @ArchTest
    static final ArchRule coreKnowsNoOtherModule = noClasses()
            .that()
            .resideInAPackage("io.cloudmw.core..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.cloudmw.client..", "io.cloudmw.helper..", "io.cloudmw.coordinator..");

    @ArchTest
    static final ArchRule coordinatorKnowsNeitherClientNorHelper = noClasses()
            .that()
            .resideInAPackage("io.cloudmw.coordinator..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.cloudmw.client..", "io.cloudmw.helper..");

    @ArchTest
    static final ArchRule clientKnowsNeitherHelperNorCoordinator = noClasses()
            .that()
            .resideInAPackage("io.cloudmw.client..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.cloudmw.helper..", "io.cloudmw.coordinator..");

    @ArchTest
    static final ArchRule onlyTheCoordinatorAndItsRecoveryKnowTheCatalog = noClasses()
            .that()
            .resideOutsideOfPackages("io.cloudmw.coordinator..", "io.cloudmw.helper.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.cloudmw.coordinator.catalog..");

    @ArchTest
    static final ArchRule helperNeverSeesClient = noClasses()
            .that()
            .resideInAPackage("io.cloudmw.helper..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.cloudmw.client..");

    @ArchTest
    static final ArchRule theRaceDoesNoInputOrOutput = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.cloudmw.core.race..",
                    "io.cloudmw.core.delivery..",
                    "io.cloudmw.core.hedge..",
                    "io.cloudmw.core.mode..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "java.io..",
                    "java.net..",
                    "java.nio..",
                    "java.util.concurrent..",
                    "io.netty..",
                    "io.grpc..",
                    "io.cloudmw.core.store..",
                    "io.cloudmw.core.bulk..")
            .because("it is driven by events, on one thread, with time passed in");

    @ArchTest
    static final ArchRule generatedTypesStayAtTheWire = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "io.cloudmw.core.wire..",
                    "io.cloudmw.core.bulk.message..",
                    "io.cloudmw.coordinator.catalog.stored..",
                    "..rpc..",
                    "io.cloudmw.proto..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.cloudmw.proto..");

    @ArchTest
    static final ArchRule theAwsSdkStaysInItsBackends = noClasses()
            .that()
            .resideOutsideOfPackages("io.cloudmw.core.store.s3..", "io.cloudmw.coordinator.catalog.dynamodb..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("software.amazon.awssdk..");

    @ArchTest
    static final ArchRule theRpcRoomOpensChannelsAndServers = noClasses()
            .that()
            .resideOutsideOfPackages("io.cloudmw.core.rpc..", "io.cloudmw.core.tls..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.grpc.netty..")
            .because("encryption is to be decided in one place");

    @ArchTest
    static final ArchRule theBulkRoomAndTheHttpRoomOpenSockets = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "io.cloudmw.core.bulk..",
                    "io.cloudmw.core.store.http..",
                    "io.cloudmw.lab..",
                    "io.cloudmw.testkit..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty.bootstrap..")
            .because("encryption is to be decided in one place");

    @ArchTest
    static final ArchRule sqliteStaysInItsBackend = noClasses()
            .that()
            .resideOutsideOfPackage("io.cloudmw.coordinator.catalog.sqlite..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.sqlite..", "java.sql..");

    @ArchTest
    static final ArchRule onlyCommandLinesParseOptionsAndExit = noClasses()
            .that()
            .resideOutsideOfPackages("..cli..", "io.cloudmw.lab")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("picocli..")
            .orShould()
            .callMethod(System.class, "exit", int.class);

    @ArchTest
    static final ArchRule onlyTimeReadsClocks = noClasses()
            .that()
            .resideOutsideOfPackage("io.cloudmw.core.time..")
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(Thread.class, "sleep", long.class);

    @ArchTest
    static final ArchRule nobodyUsesTheCommonPool = noClasses().should().callMethod(ForkJoinPool.class, "commonPool");

    @ArchTest
    static final ArchRule timersAreTheProjectsOwn = noClasses()
            .should()
            .callMethod(CompletableFuture.class, "orTimeout", long.class, TimeUnit.class)
            .orShould()
            .callMethod(CompletableFuture.class, "completeOnTimeout", Object.class, long.class, TimeUnit.class)
            .orShould()
            .callMethod(CompletableFuture.class, "delayedExecutor", long.class, TimeUnit.class)
            .orShould()
            .callMethod(CompletableFuture.class, "delayedExecutor", long.class, TimeUnit.class, Executor.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Timer.class)
            .because("what a thread of the JDK runs is neither named, nor bounded, nor closed by its creator");

    @ArchTest
    static final ArchRule nothingRunsOnThreadsNobodyChose = noClasses()
            .should()
            .callMethodWhere(describe(
                    "an asynchronous stage without an executor",
                    call -> call.getTargetOwner().isAssignableTo(CompletionStage.class)
                            && call.getName().endsWith("Async")
                            && call.getTarget().getRawParameterTypes().stream()
                                    .noneMatch(type -> type.isAssignableTo(Executor.class))))
            .orShould()
            .callMethod(Collection.class, "parallelStream")
            .orShould()
            .callMethodWhere(describe(
                    "a stream made parallel",
                    call -> call.getTargetOwner().isAssignableTo(BaseStream.class)
                            && call.getName().equals("parallel")));

    /** The packages of the public API, which {@code docs/api.md} lists, too. */
    static final List<String> API = List.of(
            "io.cloudmw.client",
            "io.cloudmw.client.backup",
            "io.cloudmw.client.channel",
            "io.cloudmw.client.file",
            "io.cloudmw.client.lock",
            "io.cloudmw.client.nio",
            "io.cloudmw.client.peer",
            "io.cloudmw.client.progress",
            "io.cloudmw.client.tree",
            "io.cloudmw.hadoop",
            "io.cloudmw.iceberg",
            "io.cloudmw.core.access",
            "io.cloudmw.core.cost",
            "io.cloudmw.core.error",
            "io.cloudmw.core.grant",
            "io.cloudmw.core.model..",
            "io.cloudmw.core.status..",
            "io.cloudmw.testkit");

    @ArchTest
    static final ArchRule publicSignaturesOfTheApiNameApiTypesOnly = classes()
            .that()
            .resideInAnyPackage(API.toArray(String[]::new))
            .and(describe("public", ArchitectureTest::isPublic))
            .should(
                    new ArchCondition<>(
                            "name only types of the API, the JDK, Hadoop, Iceberg, JUnit, MeterRegistry and OpenTelemetry in signatures") {
                        private final DescribedPredicate<JavaClass> allowed = resideInAnyPackage(
                                        API.toArray(String[]::new))
                                .or(resideInAnyPackage("java..", "org.apache.hadoop..", "org.apache.iceberg.."))
                                .or(describe("primitive", JavaClass::isPrimitive))
                                .or(equivalentTo(MeterRegistry.class))
                                .or(equivalentTo(OpenTelemetry.class))
                                .or(resideInAPackage("org.junit.jupiter.api.extension.."));

                        @Override
                        public void check(JavaClass type, ConditionEvents events) {
                            Set<JavaClass> named = new HashSet<>();
                            type.getSuperclass().ifPresent(parent -> named.addAll(parent.getAllInvolvedRawTypes()));
                            type.getInterfaces().forEach(parent -> named.addAll(parent.getAllInvolvedRawTypes()));
                            type.getMembers().stream()
                                    .filter(member -> member.getModifiers().contains(JavaModifier.PUBLIC)
                                            || member.getModifiers().contains(JavaModifier.PROTECTED))
                                    .forEach(member -> named.addAll(member.getAllInvolvedRawTypes()));
                            named.stream()
                                    .map(JavaClass::getBaseComponentType)
                                    .filter(allowed.negate())
                                    .forEach(other -> events.add(SimpleConditionEvent.violated(
                                            type,
                                            type.getName() + " names " + other.getName() + " in a public signature")));
                        }
                    });

    private static final String[] CONNECTORS = {"io.cloudmw.connector..", "io.cloudmw.hadoop..", "io.cloudmw.iceberg.."
    };

    @ArchTest
    static final ArchRule theDoorsOfHadoopAndIcebergUseTheApiAlone = noClasses()
            .that()
            .resideInAnyPackage(CONNECTORS)
            .should()
            .dependOnClassesThat(resideInAPackage("io.cloudmw..")
                    .and(DescribedPredicate.not(resideInAnyPackage(API.toArray(String[]::new))))
                    .and(DescribedPredicate.not(resideInAnyPackage(CONNECTORS))))
            .because("what an application needs beyond the API is missing in the API");

    @ArchTest
    static final ArchRule onlyItsDoorKnowsHadoop = noClasses()
            .that()
            .resideOutsideOfPackage("io.cloudmw.hadoop..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.hadoop..");

    @ArchTest
    static final ArchRule onlyItsDoorKnowsIceberg = noClasses()
            .that()
            .resideOutsideOfPackage("io.cloudmw.iceberg..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.iceberg..");

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(ArchitectureTest::isPublic).orElse(true);
    }

    @ArchTest
    static final ArchRule theClientKnowsNoCommandLine = noClasses()
            .that()
            .resideInAPackage("io.cloudmw.client..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("picocli..", "com.fasterxml.jackson..", "io.cloudmw.cli..", "io.cloudmw.lab..")
            .because("applications embed it without them");

    @ArchTest
    static final ArchRule onlyTheTestKitKnowsJUnitAndTheTestKit = noClasses()
            .that()
            .resideOutsideOfPackage("io.cloudmw.testkit..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.junit..", "io.cloudmw.testkit..");

    @ArchTest
    static final ArchRule onlyTheLabKnowsTheLab = noClasses()
            .that()
            .resideOutsideOfPackage("io.cloudmw.lab..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.cloudmw.lab..");

    /** Groups the product's top-level classes by package. */
    private static Map<String, List<JavaClass>> rooms(JavaClasses classes) {
        return classes.stream()
                .filter(type -> type.isTopLevelClass()
                        && !type.getSimpleName().equals("package-info")
                        && !type.getPackageName().startsWith("io.cloudmw.proto"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, TreeMap::new, Collectors.toList()));
    }

    @ArchTest
    static void roomsHaveTwoToTwentyClasses(JavaClasses classes) {
        Map<String, Integer> sizes = new TreeMap<>();
        rooms(classes).forEach((room, types) -> sizes.put(room, types.size()));
        assertThat(sizes).hasSizeGreaterThan(100);
        assertThat(sizes).allSatisfy((room, size) -> assertThat(size).as(room).isBetween(2, 20));
    }

    @ArchTest
    static void typeNamesAreInOneRoomOnly(JavaClasses classes) {
        Map<String, Set<String>> rooms = new TreeMap<>();
        rooms(classes)
                .forEach((room, types) ->
                        types.forEach(type -> rooms.computeIfAbsent(type.getSimpleName(), name -> new TreeSet<>())
                                .add(room)));
        assertThat(rooms).allSatisfy((name, found) -> assertThat(found).as(name).hasSize(1));
    }

    /**
     * Constructors of records, enums and inner classes are exempt: records are data, and the compiler adds parameters
     * to the others.
     */
    @ArchTest
    static void constructorsHaveAtMostSevenParameters(JavaClasses classes) {
        assertThat(classes.stream()
                        .filter(type -> !type.isRecord()
                                && !type.isEnum()
                                && !type.isAnonymousClass()
                                && !type.isLocalClass()
                                && !type.getPackageName().startsWith("io.cloudmw.proto"))
                        .flatMap(type -> type.getConstructors().stream())
                        .filter(constructor ->
                                constructor.getRawParameterTypes().size()
                                                - (constructor.getOwner().isInnerClass() ? 1 : 0)
                                        > 7)
                        .map(JavaConstructor::getFullName))
                .isEmpty();
    }

    @Test
    void synchronizedBlocksLockTheirOwnFields() throws IOException {
        Pattern foreign = Pattern.compile("synchronized \\((?!\\w+\\)|\\w+\\.this\\))");
        List<Path> sources = SourceFiles.in("src/main/java");
        assertThat(sources).hasSizeGreaterThan(500);
        for (Path source : sources) {
            assertThat(foreign.matcher(Files.readString(source)).find())
                    .as(source.toString())
                    .isFalse();
        }
    }

    /** A filter that drops this module's benchmarks and harness, and the test jars of other modules. */
    static final class ProductOnly implements ImportOption {
        @Override
        public boolean includes(com.tngtech.archunit.core.importer.Location location) {
            return !location.contains("-tests.jar")
                    && (!location.contains("/integration-tests/") || location.contains("/integration-tests/lab/"));
        }
    }
}
