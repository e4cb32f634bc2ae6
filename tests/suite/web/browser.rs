//! The page in a browser: a headless Chromium, driven by its own protocol. Where there is none, this says so.
use std::{
    io::{BufRead as _, BufReader},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::Duration,
};

use morse_sim::run::Pace;
use serde_json::{Value as Json, json};
use tungstenite::{Message, WebSocket, client::IntoClientRequest as _};

use super::{ROVER, chess, client::Served};

/// Programs that may be there.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// Without a graphics card, and without asking anybody else anything.
const ARGUMENTS: [&str; 9] = [
    "--headless=new",
    "--no-sandbox",
    "--no-first-run",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--remote-debugging-port=0",
    "--window-size=800,500",
];

/// What the protocol calls an attached page: a word that is not used elsewhere here.
const ATTACHED: &str = concat!("sess", "ionId");

/// One page of a browser.
struct Browser {
    child: Child,
    socket: WebSocket<TcpStream>,
    page: String,
    next: u64,
    /// Exceptions that nobody caught.
    exceptions: Vec<String>,
    _directory: tempfile::TempDir,
}

impl Browser {
    /// Starts one, if there is one.
    fn start() -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let start = |name: &&str| {
            Command::new(name)
                .args(ARGUMENTS)
                .arg(format!("--user-data-dir={}", directory.path().display()))
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .ok()
        };
        let mut child = NAMES.iter().find_map(start)?;
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut lines = lines.map_while(Result::ok);
        let address =
            lines.find_map(|line| Some(line.strip_prefix("DevTools listening on ")?.to_owned()));
        let address = address.expect("the browser says where it listens");
        // Whatever it says from now on is taken, so that it never waits.
        std::thread::Builder::new()
            .spawn(move || lines.for_each(drop))
            .unwrap();
        let port = address.split([':', '/']).nth(4).unwrap();
        let stream = TcpStream::connect(("127.0.0.1", port.parse().unwrap())).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(120)))
            .unwrap();
        let (socket, _) =
            tungstenite::client(address.into_client_request().unwrap(), stream).unwrap();
        let mut browser = Self {
            child,
            socket,
            page: String::new(),
            next: 1,
            exceptions: Vec::new(),
            _directory: directory,
        };
        browser.attach();
        Some(browser)
    }

    fn attach(&mut self) {
        let target = loop {
            let targets = self.command("Target.getTargets", &json!({}));
            let targets = targets["targetInfos"].as_array().unwrap().clone();
            if let Some(page) = targets.iter().find(|target| target["type"] == "page") {
                break page["targetId"].clone();
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        let attached = self.command(
            "Target.attachToTarget",
            &json!({ "targetId": target, "flatten": true }),
        );
        self.page = attached[ATTACHED].as_str().unwrap().to_owned();
        self.command("Runtime.enable", &json!({}));
    }

    fn command(&mut self, method: &str, parameters: &Json) -> Json {
        let id = self.next;
        self.next += 1;
        let mut command = json!({ "id": id, "method": method, "params": parameters });
        if !self.page.is_empty() {
            command[ATTACHED] = self.page.as_str().into();
        }
        self.socket
            .send(Message::text(command.to_string()))
            .unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else {
                continue;
            };
            let mut heard: Json = serde_json::from_str(&text).unwrap();
            if heard["method"] == "Runtime.exceptionThrown" {
                self.exceptions.push(heard["params"].to_string());
            }
            if heard["id"] == id {
                assert!(heard["error"].is_null(), "{method}: {heard}");
                return heard["result"].take();
            }
        }
    }

    /// What an expression is worth in the page.
    fn value(&mut self, expression: &str) -> Json {
        let parameters =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut result = self.command("Runtime.evaluate", &parameters);
        assert!(
            result["exceptionDetails"].is_null(),
            "{expression}: {result}"
        );
        result["result"]["value"].take()
    }

    /// Waits until an expression is true in the page.
    #[track_caller]
    fn wait(&mut self, expression: &str) {
        for _ in 0..600 {
            if self.value(expression) == true {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let page = self.value("document.body.innerText");
        panic!("never: {expression}\n{:?}\n{page}", self.exceptions);
    }

    fn press(&mut self, key: &str, code: &str, shift: bool) {
        for what in ["keyDown", "keyUp"] {
            let modifiers = if shift { 8 } else { 0 };
            let mut parameters =
                json!({ "type": what, "key": key, "code": code, "modifiers": modifiers });
            if what == "keyDown" && key.len() == 1 {
                parameters["text"] = key.into();
            }
            self.command("Input.dispatchKeyEvent", &parameters);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// How many colours the picture has, once it is drawn.
const COLORS: &str = "new Promise((answer) => {
    const view = document.getElementById('view');
    const small = document.createElement('canvas');
    [small.width, small.height] = [64, 64];
    const pen = small.getContext('2d', { willReadFrequently: true });
    const look = (left) => requestAnimationFrame(() => {
        pen.drawImage(view, 0, 0, 64, 64);
        const pixels = new Uint32Array(pen.getImageData(0, 0, 64, 64).data.buffer);
        const colors = new Set(pixels).size;
        if (colors > 20 || left === 0) return answer(colors);
        view.dispatchEvent(new Event('keydown'));
        look(left - 1);
    });
    look(400);
})";

const CLOCK: &str = "morse.world.now.tick";

/// A simulation at a port that is known beforehand.
fn serve(port: u16) -> Served {
    let camera = "\"camera\": (kind: \"chess\"), \"pose\": (kind";
    let text = ROVER
        .replace("port: 0", &format!("port: {port}"))
        .replace("\"pose\": (kind", camera);
    Served::with(&text, Pace::RealTime(1.0), None, &chess)
}

#[test]
fn the_page_lives_in_a_browser() {
    let Some(mut browser) = Browser::start() else {
        eprintln!("no Chromium is installed: the page was not tried in a browser");
        return;
    };
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let served = serve(port);
    browser.command(
        "Page.navigate",
        &json!({ "url": format!("http://localhost:{port}/") }),
    );
    it_loads_and_moves(&mut browser);
    it_shows_data(&mut browser);
    it_holds_steps_and_resets(&mut browser);
    it_hears_the_keyboard(&mut browser);
    served.end();
    browser.wait("document.getElementById('connection').dataset.state === 'lost'");
    assert_eq!(
        browser.value("document.getElementById('play').disabled"),
        true
    );
    let served = serve(port);
    browser.wait("document.getElementById('connection').dataset.state === 'live'");
    browser.wait("morse.world.now.tick > 0 && !morse.world.now.held");
    let exceptions = std::mem::take(&mut browser.exceptions);
    assert!(exceptions.is_empty(), "{exceptions:?}");
    drop(browser);
    served.end();
}

fn it_loads_and_moves(browser: &mut Browser) {
    browser.wait("document.getElementById('connection')?.dataset.state === 'live'");
    browser.wait("globalThis.morse?.world.now.tick > 0");
    assert_eq!(
        browser.value("document.getElementById('scene').textContent"),
        "boxes.robray"
    );
    let tree = browser.value("document.getElementById('tree').innerText");
    for name in ["rover", "scan", "motion", "v_omega", "Movable bodies"] {
        assert!(tree.as_str().unwrap().contains(name), "{tree}");
    }
    let place = "morse.world.poseOf({ robot: 'rover' })";
    let before = browser.value(&format!("Array.from({place}.slice(0, 2))"));
    browser.wait(&format!(
        "Math.hypot({place}[0] - {}, {place}[1] - {}) > 0.3",
        before[0], before[1]
    ));
    let colors = browser.value(COLORS).as_u64().unwrap();
    assert!(colors > 20, "the picture has {colors} colours");
    browser.wait("morse.world.clouds.get('rover.scan')?.points.length > 10");
}

fn it_shows_data(browser: &mut Browser) {
    browser.value("[...document.querySelectorAll('#tree .row')].find((row) => row.innerText.includes('pose')).click()");
    browser.wait("document.querySelectorAll('#inspector .pick').length === 12");
    browser.value("document.querySelector('#inspector .pick').click()");
    browser.wait("!document.getElementById('plot').hidden && morse.world.plotted.length === 1");
    browser.wait("morse.world.series.get(`component:rover.pose ${morse.world.plotted[0].name}`)?.times.length > 5");
    browser
        .wait("document.querySelector('#inspector .pick').getAttribute('aria-pressed') === 'true'");
    browser.value("morse.select({ component: 'rover.camera' })");
    browser.wait("document.querySelector('#inspector canvas.image')?.width === 64");
    let pixels = "[...document.querySelector('#inspector canvas.image').getContext('2d').getImageData(0, 0, 9, 1).data]";
    browser.wait(&format!("{pixels}[0] === 30 && {pixels}[32] === 230"));
}

fn it_holds_steps_and_resets(browser: &mut Browser) {
    browser.press(" ", "Space", false);
    browser.wait("morse.world.now.held");
    browser.wait("document.getElementById('play').getAttribute('aria-label') === 'Go on'");
    let held = browser.value(CLOCK);
    browser.press(".", "Period", false);
    browser.wait(&format!("{CLOCK} === {held} + 1"));
    browser.value("document.getElementById('step').click()");
    browser.wait(&format!("{CLOCK} === {held} + 2"));
    browser.press("R", "KeyR", true);
    browser.wait(&format!("{CLOCK} === 0"));
    browser.wait("Math.abs(morse.world.poseOf({ robot: 'rover' })[0]) < 0.001");
    assert_eq!(
        browser.value("morse.world.trails.get('rover')?.length ?? 0"),
        1
    );
    browser.value("document.getElementById('play').click()");
    browser.wait(&format!("!morse.world.now.held && {CLOCK} > 5"));
    browser.press("]", "BracketRight", false);
    browser.wait("morse.world.now.factor === 2");
}

fn it_hears_the_keyboard(browser: &mut Browser) {
    let theme = browser.value("document.documentElement.dataset.theme");
    browser.press("d", "KeyD", false);
    assert_ne!(
        browser.value("document.documentElement.dataset.theme"),
        theme
    );
    browser.press("t", "KeyT", false);
    assert_eq!(browser.value("morse.controls.layers.trails"), true);
    browser.press("/", "Slash", false);
    assert_eq!(browser.value("document.activeElement.id"), "search");
    browser.press("s", "KeyS", false);
    browser.press("c", "KeyC", false);
    let rows =
        "[...document.querySelectorAll('#tree .row .text')].map((row) => row.textContent).join()";
    browser.wait(&format!("{rows} === 'rover,scan'"));
    browser.press("Escape", "Escape", false);
    browser.press("?", "Slash", true);
    assert_eq!(browser.value("document.getElementById('keys').open"), true);
    browser.value("document.getElementById('keys').close()");
}
