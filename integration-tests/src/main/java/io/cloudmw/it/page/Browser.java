package io.cloudmw.it.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A Chromium without a screen, driven by Selenium. Confined to one thread. */
public final class Browser implements AutoCloseable {
    private final ChromeDriver driver;

    /** Starts the programs of the machine. */
    public Browser(Path chromium, Path chromedriver) {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium.toString());
        // Root, as in a container, has no sandbox; the browser opens only the pages of the test.
        options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu");
        options.addArguments("--window-size=1280,900", "--no-first-run", "--disable-background-networking");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.toFile())
                .build();
        driver = new ChromeDriver(service, options);
        driver.manage().timeouts().pageLoadTimeout(Duration.ofMinutes(1));
    }

    /** The driver, for what this class lacks. */
    public ChromeDriver driver() {
        return driver;
    }

    public void open(String url) {
        driver.get(url);
    }

    /** Runs a script in the page and returns its value. */
    public Object run(String script, Object... arguments) {
        return Objects.requireNonNullElse(driver.executeScript(script, arguments), "");
    }

    /** Returns the text of the first element that a selector finds; empty when there is none. */
    public String text(String selector) {
        return String.valueOf(run("return document.querySelector(arguments[0])?.innerText?.trim() ?? ''", selector));
    }

    /** Returns the texts of all elements that a selector finds. */
    public List<String> texts(String selector) {
        List<?> found = (List<?>) run(
                "return [...document.querySelectorAll(arguments[0])].map(found => found.innerText.trim())", selector);
        return found.stream().map(String::valueOf).toList();
    }

    /** Sets the size of the page, in CSS pixels; a phone has narrow ones. */
    public void size(int width, int height) {
        driver.manage().window().setSize(new Dimension(width, height));
        var unused = driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
    }

    /** Sets what the user prefers. */
    public void prefer(boolean dark) {
        var unused = driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    /** Returns the lines of the console since the last call. */
    public List<String> console() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(entry -> entry.getLevel() + " " + entry.getMessage())
                .toList();
    }

    /** Returns the events of the network since the last call, as JSON texts. */
    public List<String> requests() {
        return driver.manage().logs().get(LogType.PERFORMANCE).getAll().stream()
                .map(entry -> entry.getMessage())
                .filter(message -> message.contains("\"Network.requestWillBeSent\""))
                .toList();
    }

    /** Writes a picture of the whole page as PNG. */
    public void picture(Path file) throws IOException {
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
