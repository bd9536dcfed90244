package io.cloudmw.it;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Instant;
import java.util.Collection;
import java.util.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.BaseStream;

/** The walls of the house: which room may know which, and which calls belong to one room alone. */
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

    @ArchTest
    static final ArchRule theClientKnowsNoCommandLine = noClasses()
            .that()
            .resideInAPackage("io.cloudmw.client..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("picocli..", "com.fasterxml.jackson..", "io.cloudmw.cli..", "io.cloudmw.lab..")
            .because("applications embed it without them");

    @ArchTest
    static final ArchRule onlyTheLabKnowsTheLab = noClasses()
            .that()
            .resideOutsideOfPackage("io.cloudmw.lab..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.cloudmw.lab..");

    /** Leaves out this module's own benchmarks and harness. */
    static final class ProductOnly implements ImportOption {
        @Override
        public boolean includes(com.tngtech.archunit.core.importer.Location location) {
            return !location.contains("/integration-tests/") || location.contains("/integration-tests/lab/");
        }
    }
}
