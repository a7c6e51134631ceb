import type { KnownTool } from '../../../src/port.js'

/** A catalogue as one meets it: two dozen services with tools that resemble each other. `name(parameters): description`. */
const services: Record<string, string> = {
  github: `
create_issue(repo, title, body, labels): Open a new issue in a repository.
list_issues(repo, state, labels): List the issues of a repository, filtered by state and labels.
close_issue(repo, number): Close an issue.
comment_on_issue(repo, number, body): Add a comment to an issue or pull request.
create_pull_request(repo, head, base, title): Open a pull request from one branch into another.
merge_pull_request(repo, number, method): Merge a pull request by merge, squash or rebase.
list_pull_requests(repo, state): List the pull requests of a repository.
request_review(repo, number, reviewers): Ask people to review a pull request.
get_file_contents(repo, path, ref): Read one file of a repository at a branch or commit.
search_code(query, repo): Search source code across repositories.
create_repository(name, private): Create a new repository.
fork_repository(repo): Fork a repository into your account.
create_branch(repo, name, from): Create a branch.
list_commits(repo, branch): List the commits of a branch.
get_workflow_run(repo, run_id): Status and logs of a CI workflow run.
rerun_workflow(repo, run_id): Start a failed CI workflow again.
create_release(repo, tag, notes): Publish a release with notes.
star_repository(repo): Star a repository.`,
  git: `
git_status(path): Show the working tree status: changed and untracked files.
git_diff(path, ref): Show changes that are not committed.
git_commit(path, message): Record changes to the repository.
git_log(path, count): Show the commit history.
git_checkout(path, branch): Switch to another branch.
git_stash(path): Put changes aside for later.
git_blame(path, file): Who changed each line of a file last.
git_push(path, remote): Send commits to a remote.
git_pull(path, remote): Fetch and merge from a remote.`,
  files: `
read_file(path): Read the complete contents of a file from disk.
write_file(path, content): Create a file or overwrite it with new content.
edit_file(path, old, new): Replace text within a file.
move_file(from, to): Move or rename a file or directory.
delete_file(path): Remove a file.
list_directory(path): List the entries of a directory.
make_directory(path): Create a directory, with parents.
search_files(path, pattern): Find files whose name fits a pattern.
get_file_info(path): Size, permissions and modification time of a file.
archive_directory(path, format): Pack a directory into a zip or tar archive.`,
  calendar: `
create_event(title, start, end, attendees): Put an appointment into the calendar and invite attendees.
list_events(from, to): What is in the calendar between two times.
update_event(id, start, end): Move an appointment to another time.
cancel_event(id): Cancel a meeting and tell its attendees.
find_free_slot(attendees, duration): Find a time at which all attendees are free.
respond_to_invitation(id, answer): Accept or decline an invitation.
list_calendars(): The calendars of the account.
set_working_hours(from, to): When you can be booked.`,
  mail: `
send_email(to, subject, body, attachments): Send an e-mail message.
search_inbox(query, from, since): Search received e-mail messages.
read_email(id): Read one e-mail with its headers.
reply_to_email(id, body): Answer an e-mail.
forward_email(id, to): Forward an e-mail to somebody else.
archive_email(id): Take a message out of the inbox.
mark_as_spam(id): Report a message as junk.
create_mail_filter(condition, action): Create a rule that sorts incoming mail.
list_mail_folders(): The folders of the mailbox.
download_attachment(id, index): Save an attachment of a message.`,
  slack: `
post_message(channel, text): Post a message to a channel.
reply_in_thread(channel, thread, text): Answer in a thread of a channel.
list_channels(): List the channels of the workspace.
add_reaction(channel, timestamp, emoji): React to a message with an emoji.
get_channel_history(channel, limit): The latest messages of a channel.
get_user_profile(user): Name, title and time zone of a user.
set_status(text, emoji): Set your presence and status text.
upload_to_channel(channel, path): Share a file in a channel.`,
  forum: `
forum_post(board, title, body): Start a new discussion on a board.
forum_reply(thread, body): Answer in a discussion.
forum_read(thread): Read a discussion with all its answers.
forum_boards(): List the boards.
forum_vote(post, value): Vote a post up or down.
forum_moderate(post, action): Hide or lock a post; for moderators.`,
  kernel: `
weave_eval(code, timeout_s): Run Python code in a persistent session and show its output.
weave_interrupt(): Interrupt the Python code that runs.
weave_reset(): Forget all variables of the Python session.
weave_sessions(): The Python sessions that are alive.
weave_help(topic): How the Python kernel is used.`,
  scheduler: `
schedule_task(prompt, cron): Run a prompt repeatedly at times given by a cron expression.
schedule_once(prompt, at): Run a prompt once at a given time.
list_scheduled_tasks(): The tasks that will run and when.
pause_task(id): Keep a task from running until it is resumed.
resume_task(id): Let a paused task run again.
cancel_task(id): Remove a scheduled task.
get_task_runs(id): What earlier runs of a task gave.`,
  social: `
draft_post(network, text): Write a social media post for approval.
publish_post(id): Publish an approved social media post.
list_mentions(network): Who mentioned the account.
get_post_metrics(id): Likes, shares and reach of a post.
follow_account(network, handle): Follow an account.
schedule_post(id, at): Publish a social media post later.`,
  qda: `
import_transcript(path): Add an interview transcript to the project.
list_codes(): The code book: all codes of the qualitative analysis.
create_code(name, memo): Add a code to the code book.
code_segment(document, from, to, code): Attach a code to a passage of a document.
retrieve_segments(code): All passages that carry a code.
write_memo(document, text): Write an analytic memo.
code_cooccurrence(): Which codes appear together.
export_project(format): Export the qualitative project as REFI-QDA.`,
  postgres: `
query_database(sql): Run a read-only SQL query.
execute_sql(sql): Run an SQL statement that changes data.
list_tables(schema): The tables of a database schema.
describe_table(table): Columns, types and indexes of a table.
explain_query(sql): The execution plan of an SQL query.
list_slow_queries(): Queries that took longest.
create_index(table, columns): Create an index on a table.
backup_database(path): Write a dump of the database.`,
  kubernetes: `
list_pods(namespace): The pods of a namespace and their state.
get_pod_logs(pod, container, tail): Logs of a container.
describe_resource(kind, name): Everything about a resource of the cluster.
scale_deployment(name, replicas): Change the number of replicas of a deployment.
restart_deployment(name): Roll all pods of a deployment.
apply_manifest(yaml): Create or change resources from a manifest.
delete_resource(kind, name): Delete a resource of the cluster.
exec_in_pod(pod, command): Run a command inside a container.
get_cluster_events(namespace): Recent events of the cluster.
drain_node(node): Evict all pods from a node.`,
  docker: `
list_containers(all): Running containers.
run_container(image, ports, env): Start a container from an image.
stop_container(id): Stop a container.
container_logs(id, tail): Output of a container.
build_image(path, tag): Build an image from a Dockerfile.
pull_image(name): Download an image.
prune_images(): Delete images that nothing uses.`,
  jira: `
create_ticket(project, type, summary): Create a ticket in a project.
transition_ticket(key, status): Move a ticket to another status, such as done.
assign_ticket(key, user): Give a ticket to somebody.
search_tickets(jql): Search tickets by JQL.
add_worklog(key, time_spent): Log the time that was spent on a ticket.
list_sprints(board): The sprints of a board.
start_sprint(id): Begin a sprint.
get_burndown(sprint): Burndown chart of a sprint.`,
  crm: `
create_contact(name, email, phone): Add a person to the customer database.
update_contact(id, fields): Change the details of a customer.
find_contact(query): Look up a customer by name, e-mail or phone number.
create_deal(contact, amount, stage): Record a sales opportunity.
move_deal_stage(id, stage): Move a deal along the pipeline.
log_call(contact, notes): Record a phone call with a customer.
list_pipeline(): Deals by stage.
merge_contacts(ids): Merge duplicate customers.`,
  payments: `
create_invoice(customer, items, due): Bill a customer.
send_invoice(id): Send a bill to the customer.
refund_payment(charge, amount): Give a customer their money back.
list_charges(customer, since): Payments that were received.
create_subscription(customer, plan): Charge a customer every month.
cancel_subscription(id): End a subscription.
get_balance(): Money in the account.
create_payment_link(product, price): A link at which a product can be paid for.
list_disputes(): Chargebacks that wait for an answer.`,
  sheets: `
read_range(sheet, range): Read cells of a spreadsheet.
write_range(sheet, range, values): Write cells of a spreadsheet.
append_rows(sheet, rows): Add rows at the end of a spreadsheet.
create_spreadsheet(title): Create a new spreadsheet.
add_chart(sheet, range, type): Draw a chart from cells.
sort_range(sheet, range, column): Sort rows by a column.
format_cells(sheet, range, style): Set colours, fonts and number formats.
pivot_table(sheet, rows, values): Summarize data in a pivot table.`,
  docs: `
create_document(title, content): Create a text document.
get_document(id): Read a text document.
insert_text(id, position, text): Insert text into a document.
suggest_edit(id, range, text): Propose a change to a document.
share_document(id, user, role): Give somebody access to a document.
export_document(id, format): Convert a document to PDF or DOCX.
list_document_comments(id): Remarks on a document.`,
  browser: `
navigate(url): Open a web page in the browser.
click_element(selector): Click on something in the page.
fill_form(fields): Type values into the fields of a form.
take_screenshot(full_page): Picture of the page as it is shown.
get_page_text(): The readable text of the page.
evaluate_script(script): Run JavaScript in the page.
wait_for_selector(selector, timeout): Wait until an element appears.
close_tab(): Close the browser tab.
list_console_messages(): Errors and logs of the page's console.
emulate_device(name): Show the page as a phone would.`,
  web: `
web_search(query, count): Search the internet.
fetch_url(url): Download a web page as Markdown.
get_news(topic): Latest news about a topic.
translate_text(text, target): Translate text into another language.
summarize_url(url): Summary of a web page.
check_link(url): Whether a link is broken.
lookup_domain(domain): Who owns a domain, and its DNS records.`,
  weather: `
get_forecast(location, days): Weather forecast for the next days.
get_current_conditions(location): Temperature, wind and rain right now.
get_weather_alerts(region): Storm and flood warnings.
get_air_quality(location): Particles and ozone in the air.
get_tide_times(harbour): High and low water.`,
  maps: `
geocode_address(address): Coordinates of an address.
reverse_geocode(lat, lon): Address at a place.
get_directions(from, to, mode): Route by car, bicycle, train or on foot.
search_places(query, near): Restaurants, shops and sights near a place.
distance_matrix(origins, destinations): Travel times between many places.
get_timezone(lat, lon): Time zone of a place.
get_elevation(lat, lon): Height above the sea.`,
  travel: `
search_flights(from, to, date): Flights between two airports.
book_flight(offer, passengers): Buy a flight ticket.
search_hotels(city, checkin, checkout): Hotels with free rooms.
book_hotel(offer, guests): Reserve a hotel room.
cancel_booking(id): Cancel a flight or hotel reservation.
get_boarding_pass(booking): Check in and get the boarding pass.
list_train_connections(from, to, date): Trains between two stations.`,
  images: `
generate_image(prompt, size): Make a picture from a description.
resize_image(path, width, height): Change the size of a picture.
remove_background(path): Cut out what is in front.
convert_image(path, format): Convert between PNG, JPEG and WebP.
read_text_from_image(path): OCR: the text in a scan or photo.
describe_image(path): Say what a picture shows.
crop_image(path, box): Cut a part out of a picture.
compress_image(path, quality): Make the file of a picture smaller.`,
  audio: `
transcribe_audio(path, language): Speech to text with time stamps.
text_to_speech(text, voice): Read text aloud into an audio file.
play_song(title, artist): Play music.
pause_playback(): Pause the music.
set_volume(level): Make the speaker louder or quieter.
create_playlist(name, songs): Create a list of songs.
skip_track(): Play the next song.
trim_audio(path, from, to): Cut an audio recording.`,
  home: `
turn_on_light(room, brightness): Switch on the lamps of a room.
turn_off_light(room): Switch off the lamps of a room.
set_thermostat(room, temperature): Heat or cool a room.
lock_door(door): Lock a door.
get_sensor_readings(room): Temperature, humidity and motion in a room.
start_vacuum(rooms): Let the robot clean the floor.
open_blinds(room): Let the sun in.
get_camera_snapshot(camera): Picture of a security camera.
arm_alarm(mode): Switch the burglar alarm on.`,
  monitoring: `
query_metrics(promql, from, to): Time series by a PromQL query.
list_alerts(state): Alerts that fire now.
silence_alert(id, duration): Mute an alert for a while.
create_dashboard(title, panels): Create a dashboard with graphs.
search_logs(query, from, to): Search the logs of all services.
get_trace(id): One distributed trace with its spans.
create_incident(title, severity): Declare an incident and page whoever is on call.
who_is_on_call(team): Who has the pager.
get_uptime(service): Availability of a service.`,
  notes: `
create_note(title, text): Write down a note.
find_notes(query): Search your notes.
append_to_note(id, text): Add text to a note.
list_tags(): The tags of your notes.
create_reminder(text, at): Remind me of something.
add_todo(text, due): Put something on the to-do list.
complete_todo(id): Tick something off the to-do list.
list_todos(): What is still to be done.`,
  security: `
scan_dependencies(path): Look for known vulnerabilities in packages.
scan_secrets(path): Find passwords and keys in source code.
rotate_api_key(name): Replace an API key with a new one.
list_vulnerabilities(severity): Open findings of all scans.
check_certificate(host): When a TLS certificate expires.
hash_text(text, algorithm): SHA-256 and other digests.
generate_password(length): A random password.
store_secret(name, value): Put a secret into the vault.
read_secret(name): Get a secret from the vault.`,
}

export const catalogue: readonly KnownTool[] = Object.entries(services)
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .flatMap(([service, lines]) =>
    lines
      .trim()
      .split('\n')
      .map((line) => {
        const [, name, parameters, description] = /^(\w+)\(([^)]*)\): (.*)$/.exec(line)!
        const keys = parameters!.split(', ').filter((key) => key !== '')
        const properties = Object.fromEntries(keys.map((key) => [key, { type: 'string' }]))
        const inputSchema = { type: 'object' as const, properties }
        return { service, workerName: name!, definition: { name: name!, description: description!, inputSchema } }
      }),
  )
