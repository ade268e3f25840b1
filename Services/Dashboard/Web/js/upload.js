// Sends files in pieces to the import service, each at its place, so that what breaks off goes on where it was. Goes on while another page is shown.
import { api } from './api.js';
import { isPassing } from './errors.js';

/** Bytes of a piece. */
const piece = 512 * 1024;
/** Milliseconds before a piece is tried again; the wait grows. */
const pauses = [1000, 2000, 5000, 10000, 30000];

/** What is being sent: by job, the error that stopped it or an empty text. */
export const uploads = new Map();

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Begins a file, or goes on with the job that waits for the rest of it. @returns the job's id. */
export async function send(file, unfinished, changed) {
  const known = unfinished.find((job) => job.name === file.name && job.size === file.size && !uploads.has(job.id));
  const job = known?.id ?? (await api.post('/imports', { name: file.name, size: file.size })).job;
  uploads.set(job, '');
  run(file, job, known?.received ?? 0).then(() => uploads.delete(job), (error) => uploads.set(job, error.message || error.code)).finally(changed);
  return job;
}

async function run(file, job, start) {
  let offset = start;
  let failures = 0;
  while (offset < file.size) {
    try {
      offset = (await api.bytes(`/imports/${job}/data?offset=${offset}`, file.slice(offset, offset + piece))).received;
      failures = 0;
    } catch (error) {
      if (error.code !== 'wrong-offset' && (!isPassing(error) || failures >= 60)) throw error;
      await wait(pauses[Math.min(failures, pauses.length - 1)]);
      failures += 1;
      try { offset = (await api.get('/imports/' + job)).jobs[0].received; } catch (other) { if (!isPassing(other)) throw other; }
    }
  }
  await api.post(`/imports/${job}/survey`, {});
}

/** All refused cells of a job, as one CSV file to be saved. */
export async function saveRejects(job) {
  const pages = [];
  let after = 0;
  while (after !== undefined && after !== null) {
    const page = await api.get(`/imports/${job.id}/rejects`, { after });
    pages.push(page.text);
    after = page.next;
  }
  const address = URL.createObjectURL(new Blob(pages, { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'rejects-' + job.name.replace(/[^\w.-]+/g, '_') + '.csv';
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
